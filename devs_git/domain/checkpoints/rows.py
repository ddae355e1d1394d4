"""The row of a checkpoint in the results of `checkpoint`, `log` and `show`, and that of a moment in those of `log` and `show`."""

from __future__ import annotations

from devs_git.domain.ledger.history import Checkpoint
from devs_git.values import as_mapping, immutable


@immutable
class Row:
    """One checkpoint; the keys are a contract. `tag` is the oid of its tag object, `branch` where it was made.

    `status` is that of its task while the checkpoint is live: active or completed. A rewind or an undo makes it rewound;
    an amend, a rebase or another clone's completion makes it replaced.

    `state` is the status of the checkpoint itself, for people: recorded on the way of its task, completed, rewound, replaced or
    dropped; with the place of the commit. `on_head`: the checkpoint is live, and HEAD contains
    its commit. `still_on`: a remote's branch that has the commit, although this clone rewound it.
    `conversation_snapshot_id` names what was said until then; '' if no conversation belongs to it.
    """

    task_id: str
    number: int
    tag: str
    commit: str
    tree: str
    branch: str
    message: str
    files_changed: int
    lines_added: int
    lines_removed: int
    created_at: str
    status: str
    state: str
    on_head: bool
    still_on: str
    conversation_snapshot_id: str

    @property
    def is_live(self) -> bool:
        """Whether nothing took it back, for this clone."""
        return self.status not in ("rewound", "replaced", "dropped")


@immutable
class GraphRow:
    """One row of the graph of `log`. `key`: the tag of a checkpoint, the id of an event, or `HEAD`.

    `kind`: checkpoint, head, operation, fork, gate, open gate or decision. `parents`: the keys of the rows on which it was
    built; they stand below it. `live`: nothing took it back. `older`: what it was built on is on an older page.
    """

    key: str
    kind: str
    parents: tuple[str, ...]
    live: bool
    older: bool


@immutable
class LeftOut:
    """A path that the session wrote, and that was not committed, because somebody else wrote it, too.

    `sessions` are the others, `live` those of them that are live. `unknown`: somebody wrote it whom nothing names, such as
    a person or a program in the background.
    """

    path: str
    sessions: tuple[str, ...]
    live: tuple[str, ...]
    unknown: bool


@immutable
class NewFiles:
    """How many files a commit has that its parent did not have, and the first hundred of them."""

    count: int = 0
    paths: tuple[str, ...] = ()


@immutable
class Recorded(Row):
    """The result of `checkpoint` and `task complete`. `nothing_new`: no commit was made, and the task has none since its start
    or since this checkpoint. Then the checkpoint was not `made` now.

    `session`: the session whose files were committed, '' if it was not asked for. `left_out`: its other files. `new_files`: what
    `everything` added, as nobody named these files. `before`: the completion that the task had before, '' for none.
    """

    nothing_new: bool = False
    made: bool = True
    session: str = ""
    left_out: tuple[LeftOut, ...] = ()
    new_files: NewFiles = NewFiles()
    before: str = ""


@immutable
class MomentRow:
    """One moment. `name`: for commands, with the beginning of its id. `kind`: when it was made, as docs/moments.md lists.

    `words`: the beginning of the prompt or of the command; at the end of a turn, of its prompt. `next_prompt`: that of the
    session's next prompt, if it found this state unchanged, so that no moment was made for it. `turn`: the number of the session's prompt before which or after
    which it was made, 0 if that is unknown. `task_id`: the task that was active. `files_changed`: files that differ from
    the moment before of the same worktree, or from HEAD if it is the first; None if git pruned one of them. `previous`: the
    id of the moment before, '' for none.
    """

    id: str
    name: str
    created_at: str
    kind: str
    worktree: str
    session_id: str
    turn: int
    client: str
    words: str
    next_prompt: str
    task_id: str
    files_changed: int | None
    previous: str


def row_of_recorded(point: Checkpoint, *, nothing_new: bool, made: bool = True) -> Recorded:
    """The row of a checkpoint that was recorded just now, or that has this state already."""
    return Recorded(**as_mapping(row(point)), nothing_new=nothing_new, made=made)


def row(point: Checkpoint, task_status: str = "", *, on_head: bool = True, still_on: str = "") -> Row:
    """The row of a checkpoint. Without `task_status`, that of one that was recorded just now."""
    own = not point.live or point.completed
    status = point.status if own else task_status or point.status
    return Row(
        task_id=point.task_id,
        number=point.number,
        tag=point.tag,
        commit=point.commit,
        tree=point.tree,
        branch=point.branch,
        message=point.message,
        files_changed=point.files_changed,
        lines_added=point.lines_added,
        lines_removed=point.lines_removed,
        created_at=point.created_at,
        status=status,
        state=_state(point, point.status if own else "recorded", on_head=on_head, still_on=still_on),
        on_head=point.live and on_head,
        still_on=still_on,
        conversation_snapshot_id=_snapshot_id(point),
    )


def _snapshot_id(point: Checkpoint) -> str:
    if not point.conversation:
        return ""
    from devs_git.domain.recall.conversation_snapshots import snapshot_of_checkpoint

    return snapshot_of_checkpoint(point.tag)


def _state(point: Checkpoint, status: str, *, on_head: bool, still_on: str) -> str:
    if still_on:
        return f"{status} here, still on {still_on}"
    if point.gone:
        return f"{status}, no longer kept"
    return status if on_head or not point.live else f"{status}, not on HEAD"


@immutable
class TaskPhase:
    """A phase that the task was in from this time on."""

    phase: str
    since: str


@immutable
class TaskPoint:
    """A checkpoint of the task. `status` and `state` are those of a row. `conversation_snapshot_id` is '' if no conversation
    belongs to it.
    """

    name: str
    commit: str
    message: str
    created_at: str
    files_changed: int
    lines_added: int
    lines_removed: int
    status: str
    state: str
    conversation_snapshot_id: str


@immutable
class TaskTrace:
    """A stored output of the task."""

    trace_id: str
    tool_name: str
    is_error: bool | None
    size: int
    created_at: str


@immutable
class TaskMessage:
    """A message of the task, with the first characters of what it says."""

    message_id: str
    session_id: str
    role: str
    content: str
    created_at: str


@immutable
class TaskGate:
    """A gate that was asked for the task."""

    gate_id: str
    gate_type: str
    status: str
    blocker_description: str
    created_at: str


@immutable
class ChildTask:
    """A task that names this one as its parent. A fork names its source as parent, too."""

    task_id: str
    title: str
    status: str


@immutable
class TaskPage:
    """The task itself, and of each kind of what belongs to it the newest; the `…_count` are of all.

    `spawned_by`: the client and the session that started it. `forked_from`: the checkpoint or moment at which a fork began.
    `forks`: those of the `children` that are forks.
    """

    task_id: str
    title: str
    status: str
    plan: str
    contract: str
    agent: str
    phase: str
    parent: str
    spawned_by: str
    forked_from: str
    started_at: str
    result: str
    phases: tuple[TaskPhase, ...]
    checkpoints: tuple[TaskPoint, ...]
    checkpoint_count: int
    traces: tuple[TaskTrace, ...]
    trace_count: int
    messages: tuple[TaskMessage, ...]
    message_count: int
    gates: tuple[TaskGate, ...]
    children: tuple[ChildTask, ...]
    forks: tuple[ChildTask, ...]
