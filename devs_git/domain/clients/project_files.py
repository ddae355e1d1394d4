"""A client's project files with our hooks and our MCP server in them, as texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devs_git.domain.clients.client import MARK, MARKS, SERVER, Client
from devs_git.domain.text import json_edit, toml_edit
from devs_git.domain.text.json_edit import Unfit


def with_hooks(text: str | None, client: Client) -> str:
    """The hooks file with our line once for each event of the client. Older lines of ours are replaced."""
    if client.plugin:
        return _with_plugin(text, client.plugin(client))
    if text is not None and _own_commands(text) == {
        event: [client.command(event)] for event in client.events
    }:
        return text
    made = _without_lines(text) if text is not None else None
    for event in client.events:
        about = {"matcher": client.matcher(event)} if client.matcher(event) else {}
        group = {**about, "hooks": [{"type": "command", "command": client.command(event)}]}
        made = json_edit.add(made or "", ("hooks", event), group)
    return made or ""


def without_hooks(text: str, client: Client) -> str | None:
    """The hooks file without our lines; None if nothing else was in it."""
    if client.plugin:
        return None if MARK in text else text
    return _without_lines(text)


def _with_plugin(text: str | None, ours: str) -> str:
    """Our program. Unfit if another one has its place."""
    if text is not None and MARK not in text:
        raise Unfit(1, "it is not the plug-in of devs-git")
    return ours


def has_old_hooks(text: str, client: Client) -> bool:
    """Whether the hooks file has lines of ours, and not exactly those of this version. False if it cannot be read."""
    try:
        return bool(without_hooks(text, client) != text) and with_hooks(text, client) != text
    except Unfit:
        return False


def with_small_file(text: str | None, client: Client) -> str:
    """Our small file. Unfit if something else has its place."""
    if text is not None and MARK not in text:
        raise Unfit(1, "it is not the file of devs-git")
    return client.small_text


def _without_lines(text: str) -> str | None:
    made = text
    while made:
        ours = _ours(json_edit.load(made))
        if not ours:
            return made
        made = json_edit.remove(made, ours[-1])
    return None


def with_server(text: str | None, client: Client) -> str:
    """The file of MCP servers with ours. Unfit if another server has our name."""
    there = _server(text, client)
    if _is_our_server(there, client):
        return text or ""
    if there is not None:
        raise Unfit(_line_of(text or ""), f"it already has an MCP server {SERVER}, which differs from ours")
    if _is_toml(client):
        return toml_edit.add(text, (client.server_table, SERVER), client.server_entry)
    return json_edit.add(text or "", (client.server_table,), (SERVER, client.server_entry))


def without_server(text: str, client: Client) -> str | None:
    """The file of MCP servers without ours; None if nothing else was in it. If somebody changed our entry, it stays."""
    if _server(text, client) != client.server_entry:
        return text
    path = (client.server_table, SERVER)
    if _is_toml(client):
        return toml_edit.remove(text, path, client.server_entry)
    return json_edit.remove(text, path) or None


def server_is_changed(text: str, client: Client) -> bool:
    """Whether a server with our name is there that differs from ours."""
    return _server(text, client) not in (None, client.server_entry)


def _is_our_server(there: Any, client: Client) -> bool:
    """Whether an entry is ours. A person may have added settings, such as that the client waits for the server."""
    ours = client.server_entry
    return isinstance(there, dict) and all(there.get(key) == value for key, value in ours.items())


def _is_toml(client: Client) -> bool:
    return client.server_file.endswith(".toml")


def _server(text: str | None, client: Client) -> Any:
    if text is None:
        return None
    found = (toml_edit.load if _is_toml(client) else json_edit.load)(text)
    servers = found.get(client.server_table) if isinstance(found, dict) else None
    return servers.get(SERVER) if isinstance(servers, dict) else None


def _line_of(text: str) -> int:
    return text.count("\n", 0, max(text.find(SERVER), 0)) + 1


def _own_commands(text: str) -> dict[str, list[str]]:
    """Our commands in a hooks file, by event."""
    found: dict[str, list[str]] = {}
    for event, _, _, handler in _handlers(json_edit.load(text)):
        if _is_ours(handler):
            found.setdefault(event, []).append(handler["command"])
    return found


def _ours(value: Any) -> list[tuple[str | int, ...]]:
    """The paths of our handlers, in the order of the file: the whole group, if it has no other handler."""
    groups: dict[tuple[str, int], list[bool]] = {}
    for event, at, _, handler in _handlers(value):
        groups.setdefault((event, at), []).append(_is_ours(handler))
    found: list[tuple[str | int, ...]] = []
    for (event, at), marks in groups.items():
        if all(marks):
            found.append(("hooks", event, at))
        else:
            found += [("hooks", event, at, "hooks", n) for n, ours in enumerate(marks) if ours]
    return found


def _handlers(value: Any) -> Iterator[tuple[str, int, int, Any]]:
    """Event, number of the group, number in the group, handler. Entries in another form are skipped."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for n, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                yield event, at, n, handler


def _is_ours(handler: Any) -> bool:
    command = str(handler.get("command", "")) if isinstance(handler, dict) else ""
    return any(mark in command for mark in MARKS)
