"""Whether a ledger has the shape that our writers make: one root, and only additions along every parent edge.

Rules; each violation is a finding:
- there is one root and it is the pinned genesis (LEDGER_FORK otherwise, LEDGER_MISSING without any);
- every commit except a merge is an event (LEDGER_MUTATED otherwise), and its fields have the form that our writers use;
- along every parent edge files with known names are only added; if both sides of a merge have a path with other content,
  the first parent's stays.
`belief` judges the policy and the files of gates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.ledger import event_fields, ids
from devs_git.domain.ledger.events import LEDGER, Event
from devs_git.domain.text.plain_text import printable
from devs_git.values import field, immutable

# Names as our writers make them: of an operation, a gate, a task, or the blob of replaced content. Any other name may lead
# out of its folder, add lines to a message, or be too long for a file system.
_NAME: Final = "[0-9A-Za-z][0-9A-Za-z-]{0,63}"
_ADDED: Final = re.compile(
    rf"gates/{_NAME}/(request\.yaml|decision\.yaml|decision\.yaml\.sig)|open/{_NAME}"
    rf"|(?P<folder>{ids.FOLDERS_FORM}(?P<task>{event_fields.TASK}))/{_NAME}\.yaml"
    rf"|(rewinds|directives)/{_NAME}\.yaml"
    rf"|superseded/{ids.OID_FORM}(\.sig)?|policy\.yaml",
    re.ASCII,
)
WAY_OUT: Final = (
    "Ask a person to compare it with refs/heads/devs/ledger of another clone, before anything is written."
)


@immutable
class Change:
    """One path along one parent edge. `old` and `new` are oids of blobs, '' for no file."""

    path: str
    old: str
    new: str


@immutable
class Step:
    """One event with the changes along each of its parent edges (of a root: all its files).

    Along the edge from a merge's second parent, the files that this parent lacks are left out. A line that is merged late
    lacks all that the other line added, at each merge again.

    If it is `judged`, an earlier check judged the event, and this one takes it as it is. If it is `unread`, it changes more
    names than any writer of ours, and its changes were not read.
    """

    event: Event
    edges: tuple[tuple[Change, ...], ...]
    judged: bool = False
    unread: bool = False

    @cached_property
    def odd_field(self) -> str:
        """The key of the first field that our writers do not make, '' for none. Several rules ask for it."""
        return next(event_fields.malformed_fields(self.event), "")


@immutable
class Freezes:
    """The bit of each gate, and for every event the masks of the gates that are requested and open there."""

    numbers: dict[str, int] = field(default_factory=dict)
    requested_at: dict[str, str] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)


def _damaged(code: str, oid: str, message: str, file: str = "") -> Finding:
    return Finding(code, "error", message, WAY_OUT, oid, file=file)


def legible(path: str) -> str:
    """The name of a file of the ledger, safe to print and on one line."""
    return printable(path, "")


def roots(steps: Sequence[Step], genesis: str) -> Iterator[Finding]:
    """Findings about the ledger's root. `genesis` is the pinned oid, '' for none."""
    found = [step.event.oid for step in steps if not step.event.parents]
    if not found:
        yield _damaged("LEDGER_MISSING", LEDGER, "The ledger has no root here.")
    for oid in found if len(found) > 1 else ():
        if oid != genesis:
            yield _damaged("LEDGER_FORK", oid, f"The ledger has another root: {oid}.")
    if genesis and found and genesis not in found:
        yield _damaged(
            "LEDGER_FORK", found[0], f"The ledger begins at {found[0]}; the policy names {genesis}."
        )


def did(change: Change) -> str:
    """What happened to the path."""
    return "added" if not change.old else "removed" if not change.new else "changed"


def odd_fields(step: Step) -> Iterator[Finding]:
    """The finding for an event with a field that our writers do not make, at most one."""
    oid = step.event.oid
    if key := step.odd_field:
        yield _damaged("LEDGER_MUTATED", oid, f"Event {oid[:12]} has a {key} that devs-git does not write.")


def leaps(steps: Sequence[Step]) -> Iterator[Finding]:
    """Findings for numbers of checkpoints that counting does not reach: above HIGHEST plus the count of numbers in the ledger.

    What is allowed in one ledger is allowed in each ledger that continues it.
    """
    named = [(s.event.oid, event_fields.checkpoint_numbers(s.event)) for s in steps if not s.odd_field]
    most = event_fields.HIGHEST + sum(len(found) for _, found in named)
    for oid, found in named:
        if max(found, default=0) > most:
            yield _damaged(
                "LEDGER_MUTATED", oid, f"Event {oid[:12]} skips numbers and records checkpoint {max(found)}."
            )


def mutations(step: Step) -> Iterator[Finding]:
    """Findings for changes that no writer of ours makes. `belief` judges the policy and gates."""
    oid = step.event.oid
    if not step.event.type and len(step.event.parents) < 2:
        yield _damaged(
            "LEDGER_MUTATED", oid, f"Commit {oid[:12]} on the branch of the ledger is not an event."
        )
    yield from odd_fields(step)
    if step.unread:
        text = f"Event {oid[:12]} changes more files, or deeper folders, than devs-git does."
        yield _damaged("LEDGER_MUTATED", oid, text)
    for number, edge in enumerate(step.edges):
        paths = [change.path for change in edge]
        # Some readers of such a tree take the first entry, others the last.
        for path, times in Counter(paths).items() if len({*paths}) < len(paths) else ():
            if times > 1:
                yield _damaged(
                    "LEDGER_MUTATED", oid, f"Event {oid[:12]} has two entries with one name: {legible(path)}."
                )
        for change in edge:
            if not _allowed(step, change, number):
                text = f"Event {oid[:12]} {did(change)} {legible(change.path)}."
                yield _damaged("LEDGER_MUTATED", oid, text, IN_LEDGER + change.path)


def _allowed(step: Step, change: Change, number: int) -> bool:
    if not change.old:
        # What the first parent of a merge has is not the merge's doing.
        genesis = not step.event.parents and change.path == "README.md"
        return number > 0 or genesis or _is_known(change.path)
    if change.path == "policy.yaml" or change.path.startswith(("gates/", "open/")):
        return True
    # The first parent's content may replace the second's, which is saved.
    return bool(change.new) and number > 0


def _is_known(path: str) -> bool:
    """Whether one of our writers adds a file of this name. Below the digits of another task nobody would find it."""
    found = _ADDED.fullmatch(path)
    return found is not None and (not found["task"] or found["folder"] in ids.task_folders(found["task"]))
