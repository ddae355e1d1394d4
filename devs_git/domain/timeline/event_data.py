"""The fields of an event under their own names, for readers that know no trailers."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_keys import KEY_PREFIX, Key
from devs_git.domain.ledger.events import Event

Data = dict[str, str | int | bool | list[str]]
# What the row has itself, and what only programs of ours need.
_LEFT_OUT: Final = frozenset((Key.EVENT, Key.FORMAT, Key.ACTOR, Key.FINISHED, Key.TASK))
_NAMES: Final = {
    Key.GATE: "gate_id",
    Key.OP: "op_id",
    Key.STARTED: "started_at",
    Key.FROM: "from_commit",
    Key.TO: "to_commit",
    Key.TYPE: "newer_type",
}
_STAT: Final = ("files_changed", "lines_added", "lines_removed")


def data_of(event: Event) -> Data:
    """The fields by name: `Devs-From-Branch` is `from_branch`. `event` is the type in the ledger."""
    found: Data = {"event": event.type}
    for key, value in event.data.items():
        if key == Key.STAT:
            found |= _figures(event)
        elif key not in _LEFT_OUT:
            found[name_of(key)] = _number(key, value)
    return found


def name_of(key: str) -> str:
    """The name of a trailer: it is lower case, with `_`."""
    return _NAMES.get(key) or key.removeprefix(KEY_PREFIX).lower().replace("-", "_")


def _figures(event: Event) -> Data:
    words = event.get(Key.STAT).split()
    if len(words) != len(_STAT) or not all(word.isdecimal() for word in words):
        return {}
    return {name: int(word) for name, word in zip(_STAT, words, strict=True)}


def _number(key: str, value: str | list[str]) -> str | int | list[str]:
    counts = key in (Key.NUMBER, Key.TIER) and isinstance(value, str) and value.isdecimal()
    return int(str(value)) if counts else value


def contract_of(event: Event) -> str:
    """The contract that an event itself names, '' for none."""
    return event.get(Key.CONTRACT)


def agent_of(event: Event) -> str:
    """The role that an event names, '' for none."""
    return event.get(Key.AGENT)


def commit_before(event: Event) -> str:
    """The commit at which the work of a recorded or started task stands with this event, '' if it names none."""
    return event.commit if event.effects.records else event.get(Key.FROM)
