"""Install our hooks and our MCP server in a client's project files, uninstall them, and find what is wrong with them.

The files belong to the project and may be committed, so we write no path of this machine into them. Their lines call the
script `<common>/devs/agent-hook`, which is outside the project, is shared by all worktrees, and names this Python.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Action, Finding
from devs_git.domain.clients import project_files
from devs_git.domain.clients.client import MARK, Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text import limits
from devs_git.domain.text.hook_script import python_of, render
from devs_git.domain.text.json_edit import Unfit, loose_line
from devs_git.errors import DevsError, invalid
from devs_git.storage.documents import package_files
from devs_git.storage.git import bounded
from devs_git.storage.git.files import PUBLIC, replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.hooks.hook_slot import HookSlot
from devs_git.storage.hooks.installation import resolve_includes
from devs_git.values import replace

_NAME: Final = "agent-hook"
_HOOK: Final = "agent hook"
_Edit = Callable[[str | None], str | None]
# The name of a file, and what is done to its text.
_Named = tuple[str, _Edit]


def install(places: Places, top: Path, client: Client, python: str = sys.executable) -> tuple[Action, ...]:
    """Install whatever is missing; the rest does not change. INVALID_ARGUMENTS if a file cannot be edited."""
    edits: tuple[_Named, ...] = (
        (client.hooks_file, lambda text: project_files.with_hooks(text, client)),
        (client.server_file, lambda text: project_files.with_server(text, client)),
    )
    if client.small_file:
        edits += ((client.small_file, lambda text: project_files.with_small_file(text, client)),)
    texts = _edited(top, edits)
    done = _write_all(top, texts)
    return (
        install_hook(places, python),
        *(_with_warning(action, texts[action.what] or "", client) for action in done),
    )


def _with_warning(action: Action, text: str, client: Client) -> Action:
    strict = action.what.endswith(".json") and not client.reads_comments
    line = loose_line(text) if strict else 0
    warning = f"{client.title} refuses the whole file: line {line} has a comment, or a comma too many"
    return replace(action, detail=warning) if line else action


def uninstall(top: Path, client: Client) -> tuple[Action, ...]:
    """Remove what `install` put into the client's files. The script stays, because other clients may call it."""
    edits: tuple[_Named, ...] = (
        (client.hooks_file, _if_there(lambda text: project_files.without_hooks(text, client))),
        (client.server_file, _if_there(lambda text: project_files.without_server(text, client))),
    )
    if client.small_file:
        edits += ((client.small_file, lambda text: None if text and MARK in text else text),)
    texts = _edited(top, edits)
    done = _write_all(top, texts)
    left = texts[client.server_file]
    if left is None or not project_files.server_is_changed(left, client):
        return done
    return tuple(_with_server_left(a) if a.what == client.server_file else a for a in done)


def _with_server_left(action: Action) -> Action:
    did = "skipped" if action.did == "kept" else action.did
    return replace(action, did=did, detail="Its server devs-git was changed, so it is not removed.")


def install_hook(places: Places, python: str = sys.executable) -> Action:
    """Install this version's script. A script that somebody edited is not changed."""
    slot = HookSlot(places.shared, _NAME)
    if slot.owner not in (None, "ours"):
        return Action(
            _HOOK, "skipped", f"devs/{_NAME} was changed after it was installed, so it is not replaced."
        )
    content = render(_source(), python, chained=False)
    if slot.owner == "ours" and slot.content() == content:
        _switch_moments(places)
        return Action(_HOOK, "kept")
    there = slot.owner
    places.shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    places.spool.mkdir(mode=0o700, exist_ok=True)
    slot.put(content)
    _switch_moments(places)
    return Action(_HOOK, "updated" if there else "created")


def _switch_moments(places: Places) -> None:
    """Let the script keep moments, unless the policy at the newest judged tip forbids it. Without a ledger there is none."""
    from devs_git.domain.ledger.events import IN_FORCE
    from devs_git.storage.git.program import GitFailed, of_store
    from devs_git.storage.ledger import judged_note
    from devs_git.storage.ledger.store import CHECKED

    policy = None
    with contextlib.suppress(OSError, IndexError, DevsError, GitFailed):
        tip = _read_text(places.common / CHECKED).split()[0]
        policy = bounded.document(of_store(places.common), f"{tip}:{IN_FORCE}")
    with contextlib.suppress(OSError):
        judged_note.switch_moments(places.shared, policy)


def refresh(places: Places, top: Path) -> tuple[Action, ...]:
    """For `init`: install the script if a client's file calls it. A new clone has these files and not the script."""
    return (
        (install_hook(places),)
        if clients_calling_hook(top) or HookSlot(places.shared, _NAME).owner == "ours"
        else ()
    )


def remove_hook(places: Places) -> tuple[Action, ...]:
    """For `init --uninstall`: remove the script. Without it, the lines in the clients' files do nothing."""
    slot = HookSlot(places.shared, _NAME)
    if slot.owner != "ours":
        return ()
    slot.path.unlink()
    _switch_moments(places)
    return (Action(_HOOK, "removed"),)


def has_hook(places: Places) -> bool:
    """Whether this clone has the script that the clients' files call."""
    return HookSlot(places.shared, _NAME).owner is not None


def clients_calling_hook(top: Path) -> tuple[Client, ...]:
    """The clients whose project files call our script."""
    return tuple(client for client in CLIENTS.values() if MARK in _read_text(top / client.hooks_file))


def hooks_folder(client: Client, places: Places, top: Path) -> Path:
    """The folder whose hooks file the client takes in the worktree `top`."""
    in_main = client.main_hooks and places.common.name == ".git"
    return places.common.parent if in_main else top


def status(places: Places, top: Path | None) -> tuple[Finding, ...]:
    """What is wrong with the script; nothing if no client's file calls it."""
    found: list[Finding] = []
    clients = clients_calling_hook(top) if top else ()
    if clients:
        fix = f"devs-git agent install {clients[0].name}"
        text = _trouble(HookSlot(places.shared, _NAME), clients[0].title)
        found += [Finding("AGENT_HOOK_MISSING", "error", text, fix)] if text else []
        found += [_old_lines(client) for client in clients if top and _is_old(top, client)]
    return tuple(found)


def _is_old(top: Path, client: Client) -> bool:
    """Whether `install` would change a file with our hooks."""
    small = client.small_file
    return project_files.has_old_hooks(_read_text(top / client.hooks_file), client) or (
        bool(small) and _read_text(top / small) != client.small_text
    )


def _old_lines(client: Client) -> Finding:
    text = f"The project's files call our hook of {client.title} in another way than this version does."
    return Finding("AGENT_HOOK_OUTDATED", "warning", text, f"devs-git agent install {client.name}")


def _trouble(slot: HookSlot, client: str) -> str:
    if slot.owner is None:
        return f"{client} is configured to call our hook, but the hook is not installed in this clone."
    if slot.owner != "ours":
        return f"The hook that {client} calls, devs/{_NAME}, was changed after it was installed."
    python = python_of(slot.content(), _source())
    if python is None:
        return f"The hook that {client} calls was installed by another version."
    return (
        "" if os.access(python, os.X_OK) else f"The Python that the hook of {client} starts does not exist."
    )


def _source() -> bytes:
    return resolve_includes(package_files.read("hooks", "agent/agent-hook.sh"))


def _if_there(edit: Callable[[str], str | None]) -> _Edit:
    return lambda text: None if text is None else edit(text)


def _edited(top: Path, edits: Sequence[_Named]) -> dict[str, str | None]:
    """The new text of each file; None if the file is not to exist. A client may have one file for several edits."""
    texts: dict[str, str | None] = {}
    for name, edit in edits:
        path = top / name
        text = texts[name] if name in texts else _read(path, top)
        try:
            texts[name] = edit(text)
        except Unfit as error:
            raise _refusal(path, top, error.line, error.what) from error
    return texts


def _write_all(top: Path, texts: Mapping[str, str | None]) -> tuple[Action, ...]:
    return tuple(_write(top / name, top, text) for name, text in texts.items())


def _read(path: Path, top: Path) -> str | None:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(top)):
        raise _refusal(path, top, 0, "it is a link to a place outside this worktree")
    try:
        data = bounded.read_file(real, limits.FILE, path.relative_to(top).as_posix())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _refusal(path, top, 0, error.strerror or "it cannot be read") from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _refusal(path, top, data.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error


def _read_text(path: Path) -> str:
    try:
        return bounded.read_file(path, limits.FILE, path.name).decode("utf-8", "replace")
    except (OSError, DevsError):
        return ""


def _refusal(path: Path, top: Path, line: int, what: str) -> DevsError:
    name = path.relative_to(top).as_posix()
    place = f"{name}, line {line}" if line else name
    error = invalid(
        "client", f"{place}: {what}.", hint=f"Fix {name}, then run the command again. Nothing was changed."
    )
    error.details |= {"file": name, "line": line}
    return error


def _write(path: Path, top: Path, text: str | None) -> Action:
    """Replace the file in one step, with its old mode. A file that would be empty is removed."""
    name, before = path.relative_to(top).as_posix(), _read(path, top)
    if text == before:
        return Action(name, "skipped", "it was not there") if text is None else Action(name, "kept")
    real = Path(os.path.realpath(path))
    try:
        if text is None:
            real.unlink()
            # The folders may have other files.
            with contextlib.suppress(OSError):
                for folder in path.relative_to(top).parents[:-1]:
                    (top / folder).rmdir()
            return Action(name, "removed")
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if before is not None else PUBLIC
        replace_file(real, text.encode(), mode=mode, exact=before is not None)
    except OSError as error:
        raise _refusal(path, top, 0, error.strerror or "it cannot be written") from error
    return Action(name, "created" if before is None else "updated")
