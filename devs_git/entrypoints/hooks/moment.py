"""Keep a moment: `hook moment <client> <event> <common git directory> <git directory> <worktree> <file of the payload>`.

The agent's hook starts this if the worktree is not as in the newest moment, if a command may destroy something, or if there
is something to tell. The moment is made by a process of its own, because a prompt waits for it only a moment. What was not
made in time is told to the agent in the client's JSON on standard output. The exit status is always 0.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from devs_git.domain.clients import moment_call, one_client
from devs_git.domain.clients.client import BEFORE, PROMPT
from devs_git.domain.clients.moment_call import MomentCall
from devs_git.domain.text import limits
from devs_git.storage.git import bounded
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import REPOSITORY_VARIABLES
from devs_git.storage.moments import behind, gaps, loss_note, seen_changes, unsaid
from devs_git.storage.moments.gaps import Gap
from devs_git.storage.moments.seen_changes import Seen

# Seconds that a prompt, or the end of a session, waits from the beginning of the hook, and that the shell needed before it
# could write the payload.
_PROMPT: Final = 0.2
_BEFORE_FILE: Final = 0.03
_CALL: Final = 5.0
# Seconds after which a moment that nobody waits for is given up.
_BEHIND: Final = 120.0
# The client waits a little longer than the process, so that this one can say why it gave up.
_GRACE: Final = 0.2


def main(arguments: list[str]) -> int:
    """Return 0. What cannot be kept stops nothing."""
    # The payload may have any form, and a disk may be full.
    with contextlib.suppress(Exception):
        name, event, common, git_dir, top, file, *looked = arguments
        places = Places(Path(git_dir), Path(common), Path(top))
        call, begun = _read(name, event, Path(file))
        # The client's own repository must not be taken for that of the worktree.
        for variable in REPOSITORY_VARIABLES:
            os.environ.pop(variable, None)
        seen = seen_changes.take(Path(looked[0])) if looked and looked[0] else None
        answer = _answer(call, places, _keep(call, places, begun, seen))
        if answer:
            sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
            sys.stdout.flush()
    return 0


def _answer(call: MomentCall, places: Places, said: list[str]) -> dict[str, Any] | None:
    """What the client is answered. `said`: `refused` or `warned`, and a text for the agent; empty for nothing."""
    client, event = call.client, _client_event(call)
    if said[:1] == ["refused"]:
        return client.denial(event, said[1])
    folder = places.moments
    told = [*_lines(gaps.take_new(folder))] if call.event in (BEFORE, PROMPT) else []
    told += said[1:]
    if call.kind == "prompt" and any((folder / name).exists() for name in loss_note.SAID):
        from devs_git.operations.moments import make_in_hook

        told += make_in_hook.tell(call, places)
    if call.event == BEFORE and not client.tells_before:
        unsaid.add(folder, told)
        return None
    if call.kind == "after":
        told += unsaid.take(folder)
    return client.tell(event, " ".join(told)) if told else None


def _read(name: str, event: str, file: Path) -> tuple[MomentCall, float]:
    """The call, and when the hook began. The file is deleted, unless it belongs to the spool."""
    with file.open("rb") as stream:
        data, begun = bounded.read(stream, limits.PAYLOAD, "payload"), os.fstat(stream.fileno()).st_mtime
    if event in (BEFORE, PROMPT):
        file.unlink()
    return moment_call.parse(one_client.find_client(name), event, data), begun - _BEFORE_FILE


def _keep(call: MomentCall, places: Places, begun: float, seen: Seen | None) -> list[str]:
    """Make the moment; what it says to the agent, in the form of `_answer`."""
    folder = places.moments
    waits = call.kind in ("call", "after")
    left = max(0.0, (_CALL if waits else _PROMPT) - max(0.0, time.time() - begun))
    if call.may_write:
        seconds = left if waits else _BEHIND

        def work() -> str:
            # In the process of its own: the client's hook itself needs none of this.
            from devs_git.operations.moments import make_in_hook

            warned = make_in_hook.keep(call, places, seconds, seen)
            said = ["refused" if warned.refused else "warned", warned.text] if warned.text else []
            return json.dumps(said)

        said = behind.run(work, folder, left + (_GRACE if waits else 0.0))
        if said:
            return [str(word) for word in json.loads(said)]
        if waits:
            _note(call, places)
    elif call.edits and call.kind == "call" and behind.is_at_work(folder):
        from devs_git.operations.moments import make_in_hook

        make_in_hook.wait(call, places, left)
    return []


def _note(call: MomentCall, places: Places) -> None:
    from devs_git.operations.moments import make_in_hook

    make_in_hook.note(call, places, "the process that made it did not answer")


def _client_event(call: MomentCall) -> str:
    """The client's own name of the event."""
    return {BEFORE: call.client.before, PROMPT: call.client.prompt}.get(call.event, call.event)


def _lines(told: tuple[Gap, ...]) -> Iterator[str]:
    for gap in told:
        yield (
            f"devs-git: the state of the worktree was not kept at {gap.created_at[11:19]} UTC, because {gap.reason}. "
            "What was not committed then cannot be brought back."
        )
