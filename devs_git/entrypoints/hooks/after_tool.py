"""Give the model a long output of a shell in a shortened form: `hook after-tool <common git directory> <file of the spool>`.

The agent's hook starts this only for a long payload, and only if the policy asks for it. The answer goes to standard
output in the client's JSON. Without an answer the model sees what the client shows it; so it does after any error.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any, Final

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.hook_payload import Captured
from devs_git.domain.gates.policy import shortens
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.domain.recall.handed_on import LONGEST, LongOutput
from devs_git.domain.text import limits
from devs_git.storage.git import bounded

_CHECKED: Final = "devs/checked-tip"


def main(arguments: list[str]) -> int:
    """Return 0. An output that cannot be shortened stays as it is."""
    # Any error: the output itself is stored already.
    with contextlib.suppress(Exception):
        common, file = map(Path, arguments)
        with file.open("rb") as stream:
            captured = hook_payload.read(bounded.read(stream, limits.PAYLOAD, "payload"))
        answer = _answer(common, captured) if hook_payload.may_be_shortened(captured) else None
        if answer:
            sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
            sys.stdout.flush()
    return 0


def _answer(common: Path, captured: Captured) -> dict[str, Any] | None:
    if not _is_wanted(common):
        return None
    long = _output(captured)
    if len(long.text) <= LONGEST:
        return None
    return captured.client.hand_on(
        captured.event, captured.payload.get(captured.client.fields.response), long
    )


def _is_wanted(common: Path) -> bool:
    """What the policy says at the newest event that this clone has judged."""
    from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git

    env = {"GIT_DIR": str(common), "GIT_NO_REPLACE_OBJECTS": "1"}
    git = Git(common, env, unset=tuple(name for name in REPOSITORY_VARIABLES if name != "GIT_DIR"))
    tip = (common / _CHECKED).read_text("ascii").split()[0]
    return shortens(bounded.document(git, f"{tip}:{IN_FORCE}"))


def _output(captured: Captured) -> LongOutput:
    """The output as it will be stored: with what the client kept in a file."""
    from devs_git.operations.recall.payload_handlers import transcript_path
    from devs_git.storage.catalog import bodies
    from devs_git.storage.catalog.sessions import session_files

    trace = hook_payload.trace(captured, created_at="", commit="", task_id="", agent="")
    cut = captured.client.cut(captured.payload)
    trace, packed = session_files.with_whole(trace, cut, transcript_path(captured))
    whole = b"".join(map(bodies.unpack, packed.parts)) if packed else trace.output
    return LongOutput(whole.decode("utf-8", "replace"), trace.trace_id, len(whole), trace.cut_by_client)
