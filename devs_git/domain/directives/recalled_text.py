"""What a model is told of its task after a compaction: short, because the bundle has the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devs_git.domain.directives.handed_text import quote
from devs_git.domain.resume.bundle_text import word
from devs_git.domain.text.plain_text import cut, printable
from devs_git.values import immutable

# Characters of a plan, and of what a gate asks; how many gates.
_PLAN: Final = 1_500
_BLOCKER: Final = 300
_GATES: Final = 3
_OPENING: Final = (
    "devs-git: the conversation was compacted. You work on {task}. Lines that begin with `>` are quotations of what people "
    "and agents wrote for it."
)
_REST: Final = "All of it, with the changes, the answers of gates and the conversation, is in the bundle: git devs resume {task}"


@immutable
class RecalledGate:
    """A gate of the task. `reason` is that of its answer."""

    gate_id: str
    status: str
    blocker: str
    reason: str


@immutable
class RecalledTask:
    """The task; a text is '' if it has none. The gates are oldest first."""

    task_id: str
    title: str
    phase: str
    contract: str
    plan: str
    gates: tuple[RecalledGate, ...]


def first_part(task: RecalledTask) -> str:
    """The task, its plan and its newest gates. The directives come after it."""
    return "\n".join(_lines(task))


def last_part(task: RecalledTask) -> str:
    """Where the rest is."""
    return _REST.format(task=task.task_id)


def _lines(task: RecalledTask) -> Iterator[str]:
    yield _OPENING.format(task=task.task_id)
    yield f"Phase: {task.phase or 'none'}. Contract: {word(_one_line(task.contract)) or 'none'}."
    if task.title:
        yield f"Title:\n> {_one_line(task.title)}"
    if task.plan:
        begins = len(task.plan) > _PLAN
        yield f"The plan{' begins so' if begins else ''}:\n{quote(task.plan[:_PLAN])}"
    for gate in task.gates[-_GATES:]:
        yield f"Gate {word(gate.gate_id)} is {gate.status}. It asks:\n> {_one_line(gate.blocker)}"
        if gate.reason:
            yield f"The answer:\n> {_one_line(gate.reason)}"


def _one_line(text: str) -> str:
    return printable(cut(text, _BLOCKER), "")
