"""Whether a ledger has the shape that only our writers make: one root, append-only along every parent edge.

Rules, each broken one a finding:
- there is one root and it is the pinned genesis (LEDGER_FORK otherwise, LEDGER_MISSING without any);
- every commit but a merge is an event (LEDGER_MUTATED otherwise), and its fields are as our writers make them;
- along every parent edge files of known names are only added; where both sides of a merge have a path with other
  content the first parent's stays.
The policy and what belongs to gates have a rule of their own: `belief`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.ledger import event_fields, ids
from devs_git.domain.ledger.events import LEDGER, Event
from devs_git.domain.text.plain_text import printable
from devs_git.values import field, immutable

# Names as our writers make them: of an operation, a gate, a task, or of content that gave way (its blob). Any other may
# lead out of its folder, write lines of its own into what people read, or be too long for a file system.
_NAME: Final = "[0-9A-Za-z][0-9A-Za-z-]{0,63}"
_ADDED: Final = re.compile(
    rf"gates/{_NAME}/(request\.yaml|decision\.yaml|decision\.yaml\.sig)|open/{_NAME}"
    rf"|tasks/{event_fields.TASK}/{_NAME}\.yaml|(rewinds|directives)/{_NAME}\.yaml"
    rf"|superseded/{ids.OID_FORM}(\.sig)?|policy\.yaml",
    re.ASCII,
)
WAY_OUT: Final = (
    "Ask a person to compare it with refs/heads/devs/ledger of another clone, before anything is written."
)


@immutable
class Change:
    """One path along one parent edge; `old` and `new` are blob oids, '' where a side has none."""

    path: str
    old: str
    new: str


@immutable
class Step:
    """One event with what changed along each of its parent edges (a root: against nothing).

    Along the edge from the second parent of a merge what only that parent lacks is left out: a line that comes late
    lacks whatever the other did since, at each merge once more.
    """

    event: Event
    edges: tuple[tuple[Change, ...], ...]


@immutable
class Freezes:
    """Gates by number (their bit), and for every event which are requested and which are open there, as bit masks."""

    numbers: dict[str, int] = field(default_factory=dict)
    requested_at: dict[str, str] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)


def _damaged(code: str, oid: str, message: str, file: str = "") -> Finding:
    return Finding(code, "error", message, WAY_OUT, oid, file=file)


def legible(path: str) -> str:
    """The name of a file of the ledger as a person may read it: on one line."""
    return printable(path, "")


def roots(steps: Sequence[Step], genesis: str) -> Iterator[Finding]:
    """Findings about where the ledger begins; `genesis` is the pinned oid, '' where none is."""
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
    """What became of the path."""
    return "added" if not change.old else "removed" if not change.new else "changed"


def odd_fields(step: Step) -> Iterator[Finding]:
    """The one finding of an event whose fields are not as our writers make them."""
    oid = step.event.oid
    for key in itertools.islice(event_fields.malformed_fields(step.event), 1):
        yield _damaged("LEDGER_MUTATED", oid, f"Event {oid[:12]} has a {key} that devs-git does not write.")


def leaps(steps: Sequence[Step]) -> Iterator[Finding]:
    """Numbers of checkpoints that nobody comes to who counts: higher than HIGHEST and all numbers that the ledger names.

    What one ledger may name, each longer one may, too, and so may whoever goes on from it.
    """
    named = [
        (s.event.oid, event_fields.checkpoint_numbers(s.event))
        for s in steps
        if not any(event_fields.malformed_fields(s.event))
    ]
    most = event_fields.HIGHEST + sum(len(found) for _, found in named)
    for oid, found in named:
        if max(found, default=0) > most:
            yield _damaged(
                "LEDGER_MUTATED", oid, f"Event {oid[:12]} skips numbers and records checkpoint {max(found)}."
            )


def mutations(step: Step) -> Iterator[Finding]:
    """Changes of one event that no writer of ours makes; what governs is judged by `belief`."""
    oid = step.event.oid
    if not step.event.type and len(step.event.parents) < 2:
        yield _damaged(
            "LEDGER_MUTATED", oid, f"Commit {oid[:12]} on the branch of the ledger is not an event."
        )
    yield from odd_fields(step)
    for number, edge in enumerate(step.edges):
        paths = [change.path for change in edge]
        # One reader of such a tree takes the first, another the last.
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
        # What a merge's first parent has already was that one's doing.
        genesis = not step.event.parents and change.path == "README.md"
        return number > 0 or genesis or bool(_ADDED.fullmatch(change.path))
    if change.path == "policy.yaml" or change.path.startswith(("gates/", "open/")):
        return True
    # The second parent's content may give way to the first's; what gave way is kept.
    return bool(change.new) and number > 0
