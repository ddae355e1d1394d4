"""Whether a commit's message names a ledger event, and whether its trailers of ours are well formed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.gates import gate_model
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_keys import PHASES, TrailerKey
from devs_git.errors import DevsError
from devs_git.values import Final

_ONCE: Final = (TrailerKey.LEDGER, TrailerKey.TASK, TrailerKey.AGENT, TrailerKey.PHASE, TrailerKey.CLIENT)
_AMONG: Final = {TrailerKey.AGENT: AGENTS, TrailerKey.PHASE: PHASES}
_HOOKS: Final = "The git hooks of devs-git add it: devs-git init"


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Key and value of each trailer line, as `git interpret-trailers --parse` prints them."""
    split = (line.partition(":") for line in text.splitlines())
    return tuple((key.strip(), value.strip()) for key, colon, value in split if colon)


def problems(trailers: Sequence[tuple[str, str]]) -> Iterator[DevsError]:
    """UNBOUND_COMMIT if no ledger event is named; INVALID_ARGUMENTS for a malformed trailer of ours."""
    found = [value for key, value in trailers if key == TrailerKey.LEDGER]
    if not found:
        yield DevsError(
            "UNBOUND_COMMIT", f"The message names no ledger event ({TrailerKey.LEDGER}).", hint=_HOOKS
        )
    for key in _ONCE:
        if len([one for one, _ in trailers if one == key]) > 1:
            yield _malformed(key, f"The message has {key} more than once.")
    for key, value in trailers:
        if text := _wrong(key, value):
            yield _malformed(key, text)


def _wrong(key: str, value: str) -> str:
    """What is wrong with one trailer; '' if nothing is, or if it is not ours."""
    if key == TrailerKey.LEDGER and not ids.is_oid(value):
        return f"{key} is {value!r}, not a full oid."
    if key in _AMONG and value not in _AMONG[key]:
        return f"{key} is {value!r}; the allowed values are: {', '.join(_AMONG[key])}."
    try:
        if key == TrailerKey.TASK and ids.task_id(value) != value:
            return f"{key} is {value!r}; write {ids.task_id(value)}."
        if key == "Gate-Id":
            gate_model.gate_id(value)
    except DevsError as error:
        return error.message
    return ""


def _malformed(key: str, message: str) -> DevsError:
    return DevsError("INVALID_ARGUMENTS", message, hint="Correct the end of the message.", field=key)
