"""The door for the agent hook before a tool, once something is open: `hook before-tool <client> <common git directory>…`.

The client's payload is on standard input. A denial is written to standard output in the client's own words; silence lets
the tool run. What goes wrong is one line on standard error and exit 70: the shell that called us then says no.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.tool_guard import may_run
from devs_git.domain.text import limits
from devs_git.entrypoints.cli.texts import console
from devs_git.errors import EXIT_INTERNAL, DevsError, invalid
from devs_git.storage.git import bounded

if TYPE_CHECKING:
    from pathlib import Path

    from devs_git.storage.git.program import Git

_USAGE: Final = "usage: devs-git hook before-tool <client> <common git directory>…"


def main(arguments: list[str]) -> int:
    """0: decided. 70: it could not be."""
    try:
        answer = _answer(arguments, bounded.read(sys.stdin.buffer, limits.PAYLOAD, "payload"))
    except DevsError as error:
        return _fail(f"{error.code}: {error.message} {error.hint}")
    except Exception as error:  # noqa: BLE001 - a bug of ours must neither deny nor approve by accident
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
    tool, tool_input = _tool(client, payload)
    if may_run(client, tool, tool_input):
        return None
    why = next(filter(None, map(_why, places)), "")
    so = " and a single call of devs-git" if tool in client.shells else ""
    return (
        client.denial(client.before, f"{why} {tool} counts as writing; what goes on is reading{so}.")
        if why
        else None
    )


def _tool(client: Client, payload: bytes) -> tuple[str, Any]:
    try:
        fields = json.loads(payload)
        tool = fields[client.fields.tool]
    except (ValueError, KeyError, TypeError, RecursionError):
        tool = None
    if not isinstance(tool, str):
        text = f"a gate may be open, and what {client.title} tells of the tool cannot be read."
        raise invalid("payload", text, hint="See: devs-git gate list")
    return tool, fields.get(client.fields.tool_input)


def _why(common: str) -> str:
    """What freezes the repository with this common git directory; '' where nothing does any more."""
    from pathlib import Path

    from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, split_z

    env = {"GIT_DIR": common, "GIT_NO_REPLACE_OBJECTS": "1"}
    git = Git(Path(common), env, unset=tuple(name for name in REPOSITORY_VARIABLES if name != "GIT_DIR"))
    ledger = "refs/heads/devs/ledger"
    if git.attempt("rev-parse", "-q", "--verify", ledger + "^{tree}", ok=(0, 1, 128))[0]:
        return (
            "LEDGER_MISSING: this repository is frozen, because its ledger, the branch devs/ledger, is gone or damaged. "
            "Put it back; see: devs-git doctor."
        )
    if git.attempt("rev-parse", "-q", "--verify", ledger + ":open", ok=(0, 1, 128))[0]:
        return _disbelief(git, Path(common))
    gates = split_z(git.run("ls-tree", "-z", "--name-only", ledger + ":open"))
    if not gates:
        return _disbelief(git, Path(common))
    return (
        f"GATE_BLOCKED: this repository is frozen: gate {gates[0]} waits for a person's decision. "
        f"See it: devs-git gate show {gates[0]}. Wait for the answer: devs-git gate wait {gates[0]}."
    )


def _disbelief(git: Git, common: Path) -> str:
    """Why a ledger in which nothing is open freezes all the same; '' where it is to be believed."""
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
    console.write(f"devs-git: {' '.join(text.split())}", err=True)
    return EXIT_INTERNAL
