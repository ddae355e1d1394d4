"""Which checkpoints go and come: compared with a formulation over a graph of commits, made up by hypothesis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.checkpoints import rewind_selection as rules
from devs_git.domain.ledger.events import NO_OID, Event
from devs_git.domain.ledger.history import Checkpoint, History, Task, fold
from devs_git.errors import DevsError
from devs_git.values import replace

pytestmark = pytest.mark.quick

HERE, THERE = ".", "other"


def point(
    task: str, number: int, commit: int, *, completed: bool = False, worktree: str = HERE
) -> Checkpoint:
    name = f"task-{task}"
    return Checkpoint(
        task_id=name,
        number=number,
        tag=f"{name}-{number}",
        commit=f"c{commit}",
        tree=f"t{commit}",
        branch="refs/heads/main",
        worktree=worktree,
        message="",
        files_changed=0,
        lines_added=0,
        lines_removed=0,
        created_at="",
        completed=completed,
        event="",
    )


def history(*points: Checkpoint) -> History:
    tasks = {}
    for each in points:
        done = any(p.completed and p.live for p in points if p.task_id == each.task_id)
        tasks[each.task_id] = Task(each.task_id, "completed" if done else "active")
    return History("", tasks, {each.tag: each for each in points})


@st.composite
def lines(draw: st.DrawFn) -> tuple[History, int, int, frozenset[int]]:
    """A straight line of commits with checkpoints in the ledger's order, the target's place, and what others keep."""
    length = draw(st.integers(1, 6))
    points, at, numbers = [], 0, dict.fromkeys("abc", 0)
    for _ in range(draw(st.integers(1, 9))):
        at = min(length - 1, at + draw(st.integers(0, 2)))
        task = draw(st.sampled_from("abc"))
        numbers[task] += 1
        worktree = draw(st.sampled_from([HERE, HERE, THERE]))
        made = point(task, numbers[task], at, completed=draw(st.booleans()), worktree=worktree)
        points.append(replace(made, live=draw(st.integers(0, 5)) > 0))
    kept_up_to = draw(st.integers(0, length))
    return history(*points), draw(st.integers(0, len(points) - 1)), length - 1, frozenset(range(kept_up_to))


@given(lines())
def test_after_means_what_only_head_has_and_the_later_event_on_the_same_commit(
    made: tuple[History, int, int, frozenset[int]],
) -> None:
    past, which, head, kept = made
    points = list(past.checkpoints.values())
    target = points[which]
    at = int(target.commit[1:])
    passed = {f"c{n}" for n in range(at + 1, head + 1)}
    effect = rules.effect_of_rewind(past, target, {c for c in passed if int(c[1:]) not in kept}, passed, HERE)
    # Said once more, point by point and without sets of commits.
    for place, each in enumerate(points):
        commit = int(each.commit[1:])
        alone = commit > at and commit not in kept
        later = commit == at and place > which and each.worktree == HERE
        goes = each.live and each is not target and (alone or later)
        assert (each in effect.undone) == goes
        assert (each in effect.kept) == (each.live and commit > at and commit in kept and each is not target)
    assert target.task_id not in effect.affected
    assert set(effect.affected) == {p.task_id for p in effect.undone} - {target.task_id}
    assert all(status == "rewound" for task, status in effect.statuses if task != target.task_id)
    # A task is never left completed without a live completion, nor active with one.
    left = [p for p in points if (p.live and p not in effect.undone) or p is target]
    completed = any(p.completed for p in left if p.task_id == target.task_id and p not in effect.undone)
    own = dict(effect.statuses).get(target.task_id, past.tasks[target.task_id].status)
    below = [p for p in left if p.task_id == target.task_id and p is not target and int(p.commit[1:]) <= at]
    if not below:  # an older completion of the same task, below the target, is another story
        assert own == ("completed" if completed else "active")


@given(lines(), st.data())
def test_visible_tags_name_the_newest_live_completion_unless_somebody_moved_them(
    made: tuple[History, int, int, frozenset[int]], data: st.DataObject
) -> None:
    past, which, head, _ = made
    target = list(past.checkpoints.values())[which]
    at = int(target.commit[1:])
    passed = {f"c{n}" for n in range(at + 1, head + 1)}
    effect = rules.effect_of_rewind(past, target, passed, passed, HERE)

    def names(alive: list[Checkpoint]) -> dict[str, str]:
        return {f"refs/tags/devs/{p.task_id}": p.tag for p in alive if p.completed}

    right = names(past.live())
    states = {ref: data.draw(st.sampled_from(["right", "pruned", "moved"]), label=ref) for ref in right}
    tags = {
        ref: right[ref] if states[ref] == "right" else "theirs" for ref in right if states[ref] != "pruned"
    }
    after = dict(tags)
    for update in effect.tag_updates(tags):
        assert update.old == after.get(update.ref, NO_OID)
        after[update.ref] = update.new
    expected = names(
        [p for p in past.checkpoints.values() if p is target or (p.live and p not in effect.undone)]
    )
    concerned = {p.task_id for p in (*effect.undone, *effect.revived) if p.completed}
    for task in past.tasks:
        ref = f"refs/tags/devs/{task}"
        if states.get(ref) == "moved":
            assert after[ref] == "theirs"
        elif task in concerned:
            assert after.get(ref, NO_OID) == expected.get(ref, NO_OID)
        else:
            assert after.get(ref) == tags.get(ref)


def event(kind: str, oid: str, *fields: tuple[str, str]) -> Event:
    return Event(kind, kind, fields, "", oid, ())


def test_an_operation_is_found_by_worktree_branch_and_id() -> None:
    def rewound(op: str, worktree: str, branch: str) -> Event:
        return event("rewound", op, ("Devs-Op", op), ("Devs-Worktree", worktree), ("Devs-Branch", branch))

    past = fold(
        [
            rewound("1", HERE, "refs/heads/main"),
            rewound("2", THERE, "refs/heads/main"),
            rewound("3", HERE, "refs/heads/side"),
            rewound("4", HERE, "refs/heads/main"),
            rewound("5", HERE, "refs/heads/caf\ufffd"),  # as an event with a byte that is no UTF-8 is read
        ]
    )
    mine = rules.operations_of_branch(past, HERE, "refs/heads/main")
    assert [each.oid for each in mine] == ["1", "4"]
    assert [each.oid for each in rules.operations_of_branch(past, HERE, "refs/heads/caf\udce9")] == ["5"]
    assert rules.operation_to_undo(mine, None).oid == "4"
    assert rules.operation_to_undo(mine, "1").oid == "1"
    for operations, op_id in ((mine, "2"), ([], None)):
        with pytest.raises(DevsError) as error:
            rules.operation_to_undo(operations, op_id)
        assert error.value.code == "NOTHING_TO_UNDO"


@pytest.mark.parametrize(("text", "mode"), [(None, None), ("create_branch", "branch"), ("stash", "stash")])
def test_ways_to_preserve_have_one_name_each(text: str | None, mode: str | None) -> None:
    assert rules.preserve_mode(text) == mode


def test_an_unknown_way_to_preserve_is_refused() -> None:
    with pytest.raises(DevsError) as error:
        rules.preserve_mode("burn")
    assert (error.value.code, error.value.details["field"]) == ("INVALID_ARGUMENTS", "preserve")
