"""Fork a task: make the worktree, guard it, write its session, and record the task. The event is the last step."""

from __future__ import annotations

from pathlib import Path

from devs_git.domain.checkpoints.commit_trailers import AGENTS, Work
from devs_git.domain.ledger.event_contracts import session_text
from devs_git.domain.ledger.event_tasks import TaskStarted
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.history import History, Task
from devs_git.domain.ledger.task_standing import TAKEN
from devs_git.errors import DevsError
from devs_git.operations.contracts import sessions
from devs_git.operations.fork import fork_session, fork_worktree, guard
from devs_git.operations.fork.fork_point import ForkPoint
from devs_git.operations.fork.fork_session import Conversation
from devs_git.operations.fork.fork_worktree import NewWorktree
from devs_git.operations.fork.guard import Guard
from devs_git.operations.rewind.commit_on_head import REFUSAL
from devs_git.storage.git import branches
from devs_git.storage.git.remotes import remote_names
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.lines_of_work import HEADS
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, move_tree
from devs_git.values import immutable, mutable, replace
from devs_git.workspace import Workspace

_NO_CONVERSATION = Conversation()
_NO_WORKTREE = "The uncommitted and untracked files of the moment: only a worktree can have them."


@immutable
class NewTask:
    """`branch`: '' for a detached HEAD. `place`: the folder of the worktree, None for a branch alone.

    `message_id`: the last message that the conversation keeps, '' for that of the point. `to`: see `commands/fork.py`.
    """

    task_id: str
    title: str
    plan: str
    branch: str
    place: Path | None
    message_id: str = ""
    to: str = ""
    conversation: bool = True


@mutable
class ForkOutcome:
    """What was made. `event` is the oid of the event."""

    event: str = ""
    guard: Guard = Guard((), ())
    conversation: Conversation = Conversation()
    left_out: tuple[str, ...] = ()


def fork(workspace: Workspace, point: ForkPoint, new: NewTask) -> ForkOutcome:
    """TASK_EXISTS, INVALID_BRANCH, CONFLICT, GIT_RESET_FAILED. Then everything is as it was."""
    _refuse_taken(task_files.history_for_start(workspace.ledger.require(), new.task_id), new.task_id)
    if new.branch:
        from devs_git.domain.checkpoints import branch_names

        branch_names.check(new.branch, remote_names.names(workspace.places))
        branches.require_free(workspace.store_git, new.branch)
    op_id, made = workspace.new_id("fork", new.task_id), ForkOutcome()
    if new.place is None:
        made.left_out = (_NO_WORKTREE,) if point.moment else ()
        made.event = _record(workspace, workspace, point, (op_id, new))
        return made
    fork_worktree.require_free(new.place)

    def settle(there: Workspace) -> None:
        if new.conversation:
            made.conversation = fork_session.write(workspace, there, point, new.message_id, new.to)
        session = made.conversation.session
        try:
            made.guard = guard.put(workspace.top, there, session.client if session else "")
            made.event = _record(workspace, there, point, (op_id, new), made.conversation)
        except BaseException:
            if session:
                Path(session.file).unlink(missing_ok=True)
            raise

    with move_tree.translate_failures(REFUSAL):
        lacking = fork_worktree.make(workspace, NewWorktree(op_id, point, new.place, new.branch), settle)
    made.left_out = (*lacking, *made.conversation.left_out)
    return made


def _record(
    workspace: Workspace,
    there: Workspace,
    point: ForkPoint,
    job: tuple[str, NewTask],
    conversation: Conversation = _NO_CONVERSATION,
) -> str:
    """Write the event, and before it the note of the active task of the worktree `there`; returns the event's oid."""
    (op_id, new), spawned = job, session_text(*sessions.identify(workspace, ""))
    # Of a message that the caller named, nothing else says in which session it is.
    cut = conversation.point.session_id if conversation.point else ""

    def build(tip: Tip) -> Draft:
        before = task_files.history_for_start(tip, new.task_id)
        _refuse_taken(before, new.task_id)
        begun = _begun(tip, point, (op_id, new))
        number = before.next_number(new.task_id)
        begun = replace(begun, next_number=number, spawned_by=spawned, forked_session=cut)
        if new.place:
            contract = listing.contract(tip, begun.contract)
            phase = begun.work.phase or (contract.phase if contract else "")
            active_task.write(there.places, replace(begun.work, phase=phase).lines())
        return _draft((there, tip), point, begun, new)

    return there.append(build).oid


def _begun(tip: Tip, point: ForkPoint, job: tuple[str, NewTask]) -> TaskStarted:
    """What the event says: a fork has role, phase and contract of the task that it comes from, if they are known.

    Its number is that of a new task.
    """
    op_id, new = job
    known = task_files.history_here(tip, point.task_id).tasks if point.task_id else {}
    source = known.get(point.task_id) or Task("", "")
    return TaskStarted(
        work=Work(new.task_id, source.agent if source.agent in AGENTS else "", "", source.phase),
        title=new.title,
        contract=source.contract or new.branch,
        branch=new.branch,
        head=point.commit,
        op_id=op_id,
        next_number=1,
        parent=source.task_id,
        forked_from=point.name,
    )


def _draft(at: tuple[Workspace, Tip], point: ForkPoint, begun: TaskStarted, new: NewTask) -> Draft:
    there, tip = at
    event = there.event_of(begun, f"fork: {new.task_id} from {point.name}", verb_name="fork")
    fields = {
        "title": begun.title,
        "plan": new.plan,
        "contract": begun.contract,
        "branch": begun.branch,
        "parent": begun.parent,
        "spawned_by": begun.spawned_by,
        "forked_from": begun.forked_from,
    }
    # git made the branch of a worktree already.
    alone = new.place is None
    updates = (RefUpdate(f"{HEADS}{new.branch}", point.commit, NO_OID),) if alone else ()
    return Draft(event, (task_files.file(begun.op_id, event, begun.work, fields, tip=tip),), updates)


def _refuse_taken(history: History, task_id: str) -> None:
    task = history.tasks.get(task_id)
    if task and task.status in TAKEN:
        raise DevsError(
            "TASK_EXISTS",
            f"{task_id} already exists and is {task.status}.",
            hint="Use another name: --name ID",
            task_id=task_id,
        )
