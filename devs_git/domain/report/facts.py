"""What a report shows, as values. All texts are as somebody wrote them: whoever renders them makes them harmless."""

from __future__ import annotations

from devs_git.domain.audit.findings import Finding
from devs_git.values import immutable

# A finding of the check, with the name by which the page refers to it.
Named = tuple[str, Finding]


@immutable
class Point:
    """A checkpoint of a task. `status` is its own; `at` is a time in the form of events."""

    name: str
    message: str
    status: str
    commit: str
    branch: str
    at: str
    files_changed: int
    additions: int
    deletions: int


@immutable
class ChangedFile:
    """A file that a task changed. `old_path` is '' unless it was renamed. A binary file has no counts of lines."""

    path: str
    old_path: str
    action: str
    additions: int
    deletions: int
    binary: bool


@immutable
class Difference:
    """What a task changed. `command` prints the whole patch. `cut`: `patch` has only its beginning.

    `missing`: why there is no difference, as a sentence; '' if there is one.
    """

    from_name: str = ""
    to_name: str = ""
    files: tuple[ChangedFile, ...] = ()
    patch: str = ""
    cut: bool = False
    command: str = ""
    missing: str = ""


@immutable
class Task:
    """`actor` started it; `agent` is the role. `points` are its checkpoints, oldest first."""

    task_id: str
    title: str
    status: str
    contract: str
    phase: str
    agent: str
    actor: str
    parent: str
    forked_from: str
    started_at: str
    points: tuple[Point, ...]
    difference: Difference


@immutable
class Decision:
    """A decision as an event of the ledger has it. `key`: the fingerprint of the key whose signature is valid, '' for none.

    `counts`: it is the decision of its gate. `why_not`: a sentence, if it does not count.
    """

    event: str
    decision: str
    reason: str
    reviewer: str
    at: str
    approval: str
    key: str
    counts: bool
    why_not: str


@immutable
class Gate:
    """A question with its decisions, also those that do not count. `asked_by` is who wrote the event of the request.

    `unreadable`: the request cannot be read, so nothing else of it is known.
    """

    gate_id: str
    gate_type: str
    status: str
    question: str
    rationale: str
    risk: str
    sections: tuple[str, ...]
    agent: str
    asked_by: str
    task_id: str
    branch: str
    asked_at: str
    event: str
    decisions: tuple[Decision, ...]
    unreadable: bool = False


@immutable
class Mark:
    """One row of the timeline. `what` is checkpoint, completed, asked, APPROVED, REJECTED, void or the type of an operation.

    `lane`: the name of the branch. `undone`: a later operation undid it. `back_to`: the number of the row to which it
    returns, None for none. `about`: the id of the task or gate that it belongs to, '' for none.
    """

    what: str
    lane: str
    at: str
    text: str
    about: str
    undone: bool = False
    back_to: int | None = None


@immutable
class Report:
    """`scope` says in words what was chosen. `counts` and `kinds` are those of `verify`. `rows_left_out`: older rows of the
    timeline. `masked`: whether secrets are masked.
    """

    repository: str
    scope: str
    made_at: str
    version: str
    head: str
    branch: str
    ledger: str
    ok: bool
    findings: tuple[Named, ...]
    counts: dict[str, int]
    kinds: dict[str, int]
    tasks: tuple[Task, ...]
    gates: tuple[Gate, ...]
    marks: tuple[Mark, ...]
    rows_left_out: int
    masked: bool
