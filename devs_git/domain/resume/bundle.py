"""A bundle: what a new session is told, so that it can go on with a task or a contract.

`schemas/resume-bundle.v1.schema.json` describes its JSON, and `bundle_text` makes text for an agent of it.
"""

from __future__ import annotations

from typing import Final, Literal

from devs_git.domain.text.plain_text import printable
from devs_git.values import field, immutable

SCHEMA: Final = "resume-bundle.v1"
Mode = Literal["with_context", "continue", "clean_restart", "restart_phase", "from_checkpoint"]
_OPTIONAL: Final = {"optional": True}


@immutable
class BundleTask:
    """The task, and who started it. `plan` may be shortened."""

    task_id: str
    title: str
    phase: str
    plan: str
    status: str
    contract: str
    author: str


@immutable
class BundleContract:
    """The contract, and the tasks that belong to it, the newest ones."""

    contract: str
    phase: str
    author: str
    tasks: tuple[ContractTask, ...]


@immutable
class ContractTask:
    """A task of the contract."""

    task_id: str
    title: str
    status: str
    phase: str


@immutable
class BundleCode:
    """Where the code stands. `branch` is '' on a detached HEAD. `worktree`: its folder,
    relative to the one that has the git directory; '' if it is gone.

    `dirty`: files of git differ from HEAD, or there are untracked files.
    """

    commit: str
    branch: str
    worktree: str
    dirty: bool


@immutable
class BundlePoint:
    """A live checkpoint."""

    name: str
    commit: str
    message: str
    created_at: str


@immutable
class BundleFile:
    """A file that changed."""

    path: str
    action: str
    additions: int
    deletions: int


@immutable
class BundleStats:
    """Totals over all files, also those that are not listed."""

    files_changed: int
    insertions: int
    deletions: int


@immutable
class BundleChanges:
    """What changed in the worktree since the point `since`: a checkpoint, or a commit. Untracked files are not in it."""

    since: str
    files: tuple[BundleFile, ...]
    stats: BundleStats


@immutable
class BundleGate:
    """A gate of the task. `reason` and `reviewer` are '' while it is open."""

    gate_id: str
    gate_type: str
    status: str
    blocker_description: str
    author: str
    reason: str
    reviewer: str
    created_at: str


@immutable
class BundleDirective:
    """What a person told the agent."""

    directive_id: str
    text: str
    author: str
    written_at: str


@immutable
class BundleRewind:
    """A rewind or a drop that took back work of the task. `undone`: it was undone later. `reason`: why a gate was overridden."""

    operation: str
    kind: Literal["rewind", "drop"]
    target: str
    author: str
    reason: str
    created_at: str
    undone: bool


@immutable
class BundleMessage:
    """A message of the conversation. `trace_id`: the whole output of a tool. `left_out`: how many characters are not here."""

    message_id: str
    session_id: str
    role: str
    author: str
    content: str
    created_at: str
    trace_id: str
    left_out: int
    rewound: bool


@immutable
class OmittedMessages:
    """How much of the conversation is not in the bundle. `tokens` is an estimate."""

    messages: int
    tokens: int


@immutable
class Bundle:
    """A bundle. `tokens` is an estimate: four bytes of its text are one. `context` is what the caller adds.

    `shortened`: one sentence for each part that is not whole. `holds_secret`: something in it looks like a secret, which is
    not masked; None if no detector is installed.
    """

    schema: Literal["resume-bundle.v1"]
    mode: Mode
    task: BundleTask | None
    code: BundleCode
    changes: BundleChanges
    gates: tuple[BundleGate, ...]
    directives: tuple[BundleDirective, ...]
    rewound: tuple[BundleRewind, ...]
    conversation: tuple[BundleMessage, ...]
    omitted: OmittedMessages
    tokens: int
    point: str
    checkpoints: tuple[BundlePoint, ...]
    context: str
    shortened: tuple[str, ...]
    holds_secret: bool | None
    contract: BundleContract | None = field(default=None, metadata=_OPTIONAL)


def tokens(text: str) -> int:
    """An estimate of the tokens of a text: four bytes of UTF-8 are one."""
    return (len(printable(text).encode()) + 3) // 4
