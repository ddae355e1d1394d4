"""Decides whether a tool of an agent may run while a gate may be open: `hook before-tool <client> <common git directory>…`.

Standard input is the client's payload. A denial goes to standard output in the client's JSON; without output the tool
runs. After an error there is one line on standard error and exit status 70, and the calling shell script denies the tool.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.calls.tool_guard import git_folders, may_run
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text import limits
from devs_git.errors import EXIT_INTERNAL, DevsError, invalid
from devs_git.storage.git import bounded

if TYPE_CHECKING:
    from pathlib import Path

    from devs_git.domain.clients.client import Client
    from devs_git.storage.git.program import Git

_USAGE: Final = "usage: devs-git hook before-tool <client> <common git directory>…"

_BARE: Final = (
    "No git runs here: a folder at or above the command's folder looks like a git repository without a worktree, and its "
    "configuration may start programs. Run the command in another folder."
)


def main(arguments: list[str]) -> int:
    """Return 0 if the tool was allowed or denied, 70 after an error."""
    try:
        answer = _answer(arguments, bounded.read(sys.stdin.buffer, limits.PAYLOAD, "payload"))
    except DevsError as error:
        return _fail(f"{error.code}: {error.message} {error.hint}")
    except Exception as error:  # noqa: BLE001 - a bug must not allow or deny by accident
        from devs_git.storage.git import failures

        known = failures.refusal_of(error)
        if known:
            return _fail(f"{known.code}: {known.message} {known.hint}")
        return _fail(f"INTERNAL: this is a bug of devs-git: {type(error).__name__}: {error}")
    if answer:
        sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    return 0


def _answer(arguments: list[str], payload: bytes) -> dict[str, Any] | None:
    name, *places = arguments or ("",)
    if name not in CLIENTS or not places:
        raise DevsError("INVALID_ARGUMENTS", _USAGE)
    client = CLIENTS[name]
    tool, tool_input, folder = _tool(client, payload)
    instead = ""
    if may_run(client, tool, tool_input):
        if not _is_in_bare_repository(git_folders(client, tool, tool_input, folder)):
            return None
        instead = _BARE
    why = next(filter(None, map(_why, places)), "")
    return client.denial(client.before, f"{why} {instead or _allowed(client, tool)}") if why else None


def _is_in_bare_repository(folders: Sequence[str]) -> bool:
    """Whether git would start with the configuration of a folder that may be tracked: that names programs to start.

    All other folders begin at the first. A client may read a name as the system does, as text (`a/..` is nothing), or with
    a `~`.
    """
    if not folders:
        return False
    import os
    from pathlib import Path

    from devs_git.storage.git import discovery

    begin = Path(folders[0])
    # Path's own `expanduser` fails for a user that nobody knows.
    homes = map(os.path.expanduser, folders)
    ways = {*homes, *(os.fspath(begin / name) for name in folders)}
    return any(map(discovery.bare_repository_around, {*ways, *map(os.path.normpath, ways)}))


def _allowed(client: Client, tool: str) -> str:
    """What the agent may do instead."""
    if tool not in client.shells:
        return f"{tool} counts as a tool that writes. Tools that only read are allowed."
    from devs_git.domain.calls.reading_programs import GIT, PROGRAMS
    from devs_git.domain.text.simple_command import SIGNS

    programs = ", ".join((*PROGRAMS, f"git {'|'.join(GIT)}"))
    return (
        f"This command of {tool} may write. Allowed are tools that only read, a single call of git devs or devs-git, and one simple "
        f"command that only reads ({programs}) without pipes, redirections, globs, variables and options that may write. "
        f"Words have only letters, digits and {SIGNS} (in quotes also spaces)."
    )


def _tool(client: Client, payload: bytes) -> tuple[str, Any, str]:
    """The tool, its input, and the folder in which the client works: '' if it names none."""
    try:
        fields = json.loads(payload)
        tool = fields[client.fields.tool]
    except (ValueError, KeyError, TypeError, RecursionError):
        tool = None
    if not isinstance(tool, str):
        text = f"a gate may be open, and devs-git cannot read which tool {client.title} calls."
        raise invalid("payload", text, hint="See: devs-git gate list")
    folder = fields.get(client.fields.folder)
    return tool, fields.get(client.fields.tool_input), folder if isinstance(folder, str) else ""


def _why(common: str) -> str:
    """What freezes the repository with this common git directory; '' if nothing does."""
    from pathlib import Path

    from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, split_z

    env = {"GIT_DIR": common, "GIT_NO_REPLACE_OBJECTS": "1"}
    git = Git(Path(common), env, unset=tuple(name for name in REPOSITORY_VARIABLES if name != "GIT_DIR"))
    ledger = "refs/heads/devs/ledger"
    if git.attempt("rev-parse", "-q", "--verify", ledger + "^{tree}", ok=(0, 1, 128))[0]:
        return (
            "LEDGER_MISSING: this repository is frozen, because its ledger (the branch devs/ledger) is missing or damaged. "
            "To restore it, run: git devs doctor."
        )
    if git.attempt("rev-parse", "-q", "--verify", ledger + ":open", ok=(0, 1, 128))[0]:
        return _disbelief(git, Path(common))
    gates = split_z(git.run("ls-tree", "-z", "--name-only", ledger + ":open"))
    if not gates:
        return _disbelief(git, Path(common))
    return (
        f"GATE_BLOCKED: this repository is frozen, because gate {gates[0]} waits for a person's decision. "
        f"See it: git devs gate show {gates[0]}. Wait for the answer: git devs gate wait {gates[0]}."
    )


def _disbelief(git: Git, common: Path) -> str:
    """Why a ledger without an open gate freezes the repository: it is not believed. '' if it is."""
    from devs_git.storage.git.objects import Objects
    from devs_git.storage.ledger import checked_tip
    from devs_git.storage.ledger.store import Ledger

    ledger = Ledger(git, Objects(common / "objects"), common, lambda: "", lambda: "")
    try:
        checked_tip.require(ledger, ledger.tip().oid, note=True)
    except DevsError as error:
        return f"{error.code}: {error.message} {error.hint}"
    return ""


def _fail(text: str) -> int:
    from devs_git.entrypoints import console

    console.write(f"devs-git: {' '.join(text.split())}", err=True)
    return EXIT_INTERNAL
