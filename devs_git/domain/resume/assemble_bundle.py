"""Make a bundle that fits its budget of tokens.

What does not fit is shortened in this order. Long outputs of tools and inputs of calls are always cut, and name their trace.
Then each list (changed files, gates, checkpoints, rewinds, tasks of a contract) and the plan get at most their share of the
budget. The conversation gets the rest: the newest messages that fit. The text of a directive is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from devs_git.domain.recall.conversation import Message, canonical
from devs_git.domain.resume import bundle_text
from devs_git.domain.resume.bundle import (
    SCHEMA,
    Bundle,
    BundleChanges,
    BundleCode,
    BundleContract,
    BundleDirective,
    BundleGate,
    BundleMessage,
    BundlePoint,
    BundleRewind,
    BundleTask,
    Mode,
    OmittedMessages,
    tokens,
)
from devs_git.values import immutable, replace

Kind = TypeVar("Kind")
# The shares of the budget, as its n-th part.
_PLAN: Final = 4
_LIST: Final = 8
_SHORT_LIST: Final = 16
# Tokens of the heading of the conversation, of the line that says how much of it is not there, and of a warning.
_FRAME: Final = 60
# Characters that are kept of a text, of the result of a tool (one with a trace is shorter already), and of a call's input.
SAID: Final = 4_000
RESULT: Final = 800
INPUT: Final = 200


class LazyMessage(NamedTuple):
    """A message of the conversation, which is made only if there is room for it. `tokens`: of the whole, an estimate."""

    tokens: int
    make: Callable[[], BundleMessage]


@immutable
class Facts:
    """All that is known, before anything is shortened. Lists are in the order of their time."""

    code: BundleCode
    changes: BundleChanges
    mode: Mode = "with_context"
    task: BundleTask | None = None
    contract: BundleContract | None = None
    gates: tuple[BundleGate, ...] = ()
    directives: tuple[BundleDirective, ...] = ()
    rewound: tuple[BundleRewind, ...] = ()
    checkpoints: tuple[BundlePoint, ...] = ()
    point: str = ""
    context: str = ""


def assemble(facts: Facts, newest_first: Iterable[LazyMessage], budget: int) -> Bundle:
    """The bundle of these facts and of the conversation, of about `budget` tokens at most."""
    empty, shortened = _without_conversation(facts, budget)
    taken, omitted = _latest(newest_first, budget - tokens(bundle_text.as_markdown(empty)) - _FRAME)
    full = replace(empty, conversation=taken, omitted=omitted, shortened=shortened)
    return replace(full, tokens=tokens(bundle_text.as_markdown(full)))


def _latest(
    newest_first: Iterable[LazyMessage], rest: int
) -> tuple[tuple[BundleMessage, ...], OmittedMessages]:
    """The newest messages that fit into so many tokens, the oldest of them first, and how much is left out."""
    taken, omitted, size, full = list[BundleMessage](), 0, 0, False
    for message in newest_first:
        if not full:
            made = message.make()
            rest -= tokens(bundle_text.message_text(made)) + 1
            full = rest < 0
        if full:
            omitted, size = omitted + 1, size + message.tokens
        else:
            taken.append(made)
    return tuple(reversed(taken)), OmittedMessages(omitted, size)


def message_of(message: Message, session_id: str, client: str, *, rewound: bool = False) -> BundleMessage:
    """A message of a session as a bundle has it: its texts shortened, with the role and the session as its author."""
    said, most = _text_of(message)
    text = _cut(said, most)
    return BundleMessage(
        message_id=message.id,
        session_id=session_id,
        role=message.role,
        author=f"{message.role} in session {session_id}" + (f" of {client}" if client else ""),
        content=text,
        created_at=message.timestamp or "",
        trace_id=message.trace_id or "",
        left_out=len(said) - len(text) + 1 if len(text) < len(said) else 0,
        rewound=rewound,
    )


def _text_of(message: Message) -> tuple[str, int]:
    """What a message says, and how much of it a bundle keeps."""
    if message.role == "tool":
        failed = " failed" if message.is_error else ""
        return (
            f"{message.tool_name or 'a tool'}{failed}: {message.tool_result or message.content or ''}",
            RESULT,
        )
    calls = (f"calls {call.name} {_cut(_input(call.input), INPUT)}" for call in message.tool_calls or ())
    return "\n".join((*filter(None, [message.content]), *calls)), SAID


def _input(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _without_conversation(facts: Facts, budget: int) -> tuple[Bundle, tuple[str, ...]]:
    """The bundle of all but the conversation, and what it lacks, in sentences."""
    files, file_note = _fit(facts.changes.files, bundle_text.file_text, budget // _LIST, "changed files")
    gates, gate_note = _newest(facts.gates, bundle_text.gate_text, budget // _LIST, "gates")
    rewound, rewind_note = _newest(facts.rewound, bundle_text.rewind_text, budget // _SHORT_LIST, "rewinds")
    points, point_note = _newest(
        facts.checkpoints, bundle_text.point_text, budget // _SHORT_LIST, "checkpoints"
    )
    contract, task_note = _contract(facts.contract, budget // _LIST)
    task, plan_note = _task(facts.task, budget // _PLAN)
    notes = (plan_note, file_note, gate_note, rewind_note, point_note, task_note)
    shortened = tuple(note for note in notes if note)
    made = Bundle(
        schema=SCHEMA,
        mode=facts.mode,
        task=task,
        code=facts.code,
        changes=replace(facts.changes, files=files),
        gates=gates,
        directives=facts.directives,
        rewound=rewound,
        conversation=(),
        omitted=OmittedMessages(0, 0),
        tokens=0,
        point=facts.point,
        checkpoints=points,
        context=facts.context,
        shortened=shortened,
        holds_secret=None,
        contract=contract,
    )
    return made, shortened


def _fit(
    rows: Sequence[Kind], text: Callable[[Kind], str], share: int, name: str
) -> tuple[tuple[Kind, ...], str]:
    """The first rows that fit into their share of the budget, and what is left out."""
    kept = list[Kind]()
    for row in rows:
        share -= tokens(text(row)) + 1
        if share < 0:
            break
        kept.append(row)
    left = len(rows) - len(kept)
    return tuple(kept), f"{left} of {len(rows)} {name}." if left else ""


def _newest(
    rows: Sequence[Kind], text: Callable[[Kind], str], share: int, name: str
) -> tuple[tuple[Kind, ...], str]:
    """The newest rows that fit, in the order of their time."""
    kept, note = _fit(rows[::-1], text, share, f"{name}: the older ones")
    return kept[::-1], note


def _contract(known: BundleContract | None, share: int) -> tuple[BundleContract | None, str]:
    if known is None:
        return None, ""
    tasks, note = _fit(known.tasks, lambda one: one.task_id + one.title, share, "tasks: the older ones")
    return replace(known, tasks=tasks), note


def _task(task: BundleTask | None, share: int) -> tuple[BundleTask | None, str]:
    """The task with as much of its plan as fits."""
    if task is None:
        return None, ""
    plan = task.plan
    # Four bytes are a token, and one character has at least one byte. The mark of a quotation counts, too.
    while tokens(bundle_text.quote(plan)) > share:
        plan = _cut(plan, min(len(plan) * 9 // 10, share * 4))
    note = (
        f"{len(task.plan) - len(plan)} of {len(task.plan)} characters of the plan."
        if plan != task.plan
        else ""
    )
    return replace(task, plan=plan), note
