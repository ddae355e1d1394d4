"""Whether each client runs our hooks in this project. `doctor` and `agent list` ask; no quicker command does.

Codex is asked itself. Claude Code has no such question, so its settings files are read. OpenCode needs no trust.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.clients import trust
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.trust import Trust
from devs_git.domain.text import json_edit, limits
from devs_git.domain.text.json_edit import Unfit
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git.places import Places
from devs_git.storage.hooks import client_files, client_programs

_CODES: Final = {"untrusted": "AGENT_HOOK_UNTRUSTED", "off": "AGENT_HOOK_OFF"}
_MANAGED: Final = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
)


def of(client: Client, places: Places, top: Path) -> Trust:
    """What is known of this client here. It starts the client's program, or reads settings; it raises nothing."""
    look = _LOOKS.get(client.name)
    if look:
        return look(client, places, top)
    return Trust("unknown", f"devs-git cannot see whether {client.title} trusts this folder.")


def findings(places: Places, top: Path | None) -> Iterator[Finding]:
    """What is wrong with the script, and a warning for each client whose files call it and which does not run it."""
    yield from client_files.status(places, top)
    for client in client_files.clients_calling_hook(top) if top else ():
        found = of(client, places, top or places.common)
        if code := _CODES.get(found.state):
            yield Finding(code, "warning", found.text, found.fix)


def _codex(client: Client, places: Places, top: Path) -> Trust:
    folder = client_files.hooks_folder(client, places, top)
    if folder != top and client not in client_files.clients_calling_hook(folder):
        text = f"In a linked worktree Codex takes {folder / client.hooks_file}, which does not call our hook."
        return Trust("untrusted", text, f"cd {quote(str(folder))} && devs-git agent install {client.name}")
    try:
        answer = client_programs.ask(("codex", "app-server"), places, "hooks/list", {"cwds": [str(top)]})
    except client_programs.NoAnswerError as error:
        return Trust("unknown", f"Codex was not asked: {error}.")
    return trust.of_codex(answer, client)


def _claude(client: Client, _places: Places, top: Path) -> Trust:
    managed, others = _claude_files(client, top)
    return trust.of_claude(_contents(managed, top), _contents(others, top))


def claude_settings(client: Client, top: Path | None) -> list[Any]:
    """The contents of the settings files of Claude Code; a later one counts more. Without a worktree, the person's alone."""
    place = top or Path("/")
    managed, others = _claude_files(client, place)
    files = [*(others if top else others[:1]), *managed]
    return [content for _name, content in _contents(files, place)]


def _claude_files(client: Client, top: Path) -> tuple[list[Path], list[Path]]:
    home = os.environ.get("CLAUDE_CONFIG_DIR") or Path("~/.claude").expanduser()
    others = [Path(home) / "settings.json", top / client.hooks_file, top / ".claude/settings.local.json"]
    extra = sorted(_MANAGED.glob("managed-settings.d/*.json"))
    return [_MANAGED / "managed-settings.json", *extra], others


def _opencode(client: Client, _places: Places, _top: Path) -> Trust:
    return Trust("trusted", f"{client.title} asks for no trust.")


def _contents(files: Sequence[Path], top: Path) -> list[tuple[str, Any]]:
    """Names, short for files of the project, and contents of the files that are there and are JSON."""
    found: list[tuple[str, Any]] = []
    for file in files:
        name = file.relative_to(top).as_posix() if file.is_relative_to(top) else str(file)
        try:
            text = bounded.read_regular(file, limits.FILE, name).decode()
            found.append((name, json_edit.load(text)))
        except (OSError, DevsError, UnicodeDecodeError, Unfit):
            continue
    return found


_LOOKS: Final[dict[str, Callable[[Client, Places, Path], Trust]]] = {
    "codex": _codex,
    "claude": _claude,
    "opencode": _opencode,
}
