"""Whether the fields of an event have the form that devs-git writes.

Ref names, paths and arguments of git are made of these values. An event with a value that git refuses would stop every
clone that has it, and no event is ever deleted. So such an event is refused when it arrives, even if its outcome is `failed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.ids import DIRECTIVE_FORM, MAX_LENGTH, NUMBER_FORM, OID_FORM, OPERATION_FORM

TASK: Final = rf"task-(?!task-)(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_LENGTH - 1}}}(?<!\.)(?<!\.lock)"
_CUT: Final = "[^ ]{1,200} [^ ]{1,200} [^ ]{1,200}"
_STAT: Final = "[0-9]{1,18}( [0-9]{1,18}){2}"
# Some verbs write an empty value where they have none.
_FORMS: Final = {
    key: re.compile(form, re.ASCII)
    for key, form in {
        Key.TASK: f"({TASK})?",
        Key.NUMBER: NUMBER_FORM,
        Key.TAG: f"({OID_FORM})?",
        Key.COMMIT: f"({OID_FORM})?",
        Key.TREE: f"({OID_FORM})?",
        Key.FROM: f"({OID_FORM})?",
        Key.TO: f"({OID_FORM})?",
        Key.BACKUP: f"({OID_FORM})?",
        Key.OP: f"({OPERATION_FORM})?",
        Key.DIRECTIVE: DIRECTIVE_FORM,
        Key.STAT: _STAT,
        Key.NEXT: f"{TASK} {NUMBER_FORM}",
        Key.STATUS: f"{TASK} [a-z]+",
        Key.UNDONE: OID_FORM,
        Key.REVIVED: OID_FORM,
        Key.GONE: OID_FORM,
        Key.ARCHIVED: OID_FORM,
        Key.UNARCHIVED: OID_FORM,
        Key.MESSAGES_UNDONE: _CUT,
        Key.MESSAGES_REVIVED: _CUT,
        Key.RENUMBERED: f"{OID_FORM} {NUMBER_FORM}",
        Key.MOVED: f"{OID_FORM} {OID_FORM} {NUMBER_FORM} {OID_FORM} {OID_FORM}( {_STAT})?",
    }.items()
}
_NEEDED: Final = (Key.TASK, Key.NUMBER, Key.TAG, Key.COMMIT, Key.TREE)

# The position of a checkpoint's number among the words of a field.
_NUMBERS: Final = {Key.NUMBER: 0, Key.NEXT: 1, Key.RENUMBERED: 1, Key.MOVED: 2}
# No event can use up the numbers of a task: whoever adds one checkpoint takes one number, and is never refused.
HIGHEST: Final = 1_000_000


def checkpoint_numbers(event: Event) -> list[int]:
    """The numbers of checkpoints that an event names. Its fields must have the right form."""
    return [int(value.split(" ")[_NUMBERS[key]]) for key, value in event.fields if key in _NUMBERS]


def malformed_fields(event: Event) -> Iterator[str]:
    """The keys of the fields that do not have the form that devs-git writes."""
    for key, value in event.fields:
        form = _FORMS.get(key)
        if form and not form.fullmatch(value):
            yield key
    if event.effects.records:
        for key in _NEEDED:
            values = event.all(key)
            if len(values) != 1 or not values[0]:
                yield key
