"""What the hook of a moment tells the agent, and the call that it is about.

What a moment says is a list in JSON: `refused` or `warned`, and a text for the agent; empty for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from devs_git.domain.clients import moment_call
from devs_git.domain.clients.client import BEFORE, PROMPT
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.moment_call import MomentCall
from devs_git.storage.git.places import Places
from devs_git.values import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devs_git.domain.moments.warned import Warned
    from devs_git.storage.moments.behind import Caller
    from devs_git.storage.moments.gaps import Gap
    from devs_git.storage.moments.seen_changes import Seen


def call_of(words: list[str], data: bytes) -> tuple[MomentCall, Places]:
    """The call with this payload, and its worktree. ValueError if the payload is no JSON object."""
    name, event, common, git_dir, top = words
    call = moment_call.parse(CLIENTS[name], event, data)
    return call, Places(Path(git_dir), Path(common), Path(top))


def keep(call: MomentCall, places: Places, seconds: float, seen: Seen | None, caller: Caller) -> str:
    """Make the moment, in at most `seconds`. The caller gets the answer as soon as it is made."""
    from devs_git.operations.moments import make_in_hook

    def say(warned: Warned) -> None:
        caller.answer(_words(warned))

    return _words(make_in_hook.keep(call, places, seconds, seen, say))


def _words(warned: Warned) -> str:
    return json.dumps(["refused" if warned.refused else "warned", warned.text] if warned.text else [])


def wait(call: MomentCall, places: Places, seconds: float) -> str:
    """Wait before an edit until the moment of another process is made."""
    from devs_git.storage.moments import behind

    if call.edits and call.kind == "call" and behind.is_at_work(places.moments):
        from devs_git.operations.moments import make_in_hook

        make_in_hook.wait(call, places, seconds)
    return json.dumps([])


def text(words: list[str], data: bytes, said: str | None, *, directed: bool = False) -> str:
    """What the client is answered, '' for nothing. `said`: what the moment says; '' or None if nobody knows.

    `directed`: a directive of a person may wait for this prompt.
    """
    call, places = call_of(words, data)
    if not said and call.may_write and call.kind in ("call", "after"):
        from devs_git.operations.moments import make_in_hook

        make_in_hook.note(call, places, "the process that made it did not answer")
    answer = _answer(call, places, [str(word) for word in json.loads(said or "[]")], directed=directed)
    return json.dumps(answer, ensure_ascii=False) + "\n" if answer else ""


def _answer(call: MomentCall, places: Places, said: list[str], *, directed: bool) -> dict[str, Any] | None:
    # Mostly there is nothing to tell.
    from devs_git.storage.moments import gaps, loss_note, unsaid

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
    whole = " ".join(told)
    if directed and call.kind == "prompt":
        from devs_git.operations.directives import hand_over

        whole = "\n\n".join(filter(None, (whole, hand_over.at_prompt(call, places, whole))))
    return client.tell(event, whole) if whole else None


def _client_event(call: MomentCall) -> str:
    """The client's own name of the event."""
    return {BEFORE: call.client.before, PROMPT: call.client.prompt}.get(call.event, call.event)


def _lines(told: tuple[Gap, ...]) -> Iterator[str]:
    for gap in told:
        yield (
            f"devs-git: the state of the worktree was not kept at {gap.created_at[11:19]} UTC, because {gap.reason}. "
            "What was not committed then cannot be brought back."
        )
