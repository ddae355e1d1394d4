"""A clone's rewind says something of its own branch: what the others and the remotes see of it, step by step."""

from __future__ import annotations

import pytest

from devs_git.commands import (
    checkpoint,
    log,
    rewind,
    show,
    task_complete,
    task_result,
    task_start,
    task_status,
    trace_list,
    trace_put,
    undo,
)
from tests.support.clones import Clone, Trio, refs_of
from tests.support.git_calls import git

TAG = "refs/tags/devs/task-2"
HERE = "rewound here, still on origin/main"


def state(clone: Clone, name: str = "task-2@1") -> str:
    """What `log` and `show` say of it."""
    rows = {f"{row.task_id}@{row.number}": row for row in clone.call("log", log.Request()).checkpoints}
    shown = clone.call("show", show.Request(name))
    assert (shown.state, shown.status) == (rows[name].state, rows[name].status)
    return str(shown.state).removesuffix(", not on HEAD")


def status(clone: Clone) -> str:
    return str(clone.call("task status", task_status.Request("2")).status)


def tagged(trio: Trio) -> str:
    """Who has the visible tag: ann, bob, cat, origin (o) and spare (s), after a verb that mends tags."""
    for clone in trio.every:
        if not clone.opened.places.active_task.exists():
            clone.call("task start", task_start.Request(f"99-{clone.top.name}"))
        clone.call("task result", task_result.Request(f"99-{clone.top.name}", "x"))
    places = {"a": trio.ann.top, "b": trio.bob.top, "c": trio.cat.top, "o": trio.origin, "s": trio.spare}
    return "".join(letter for letter, place in places.items() if TAG in refs_of(place))


@pytest.fixture
def bob_rewound(trio: Trio) -> Trio:
    """task-1 and task-2 are on origin/main and in ann and bob; cat never had them. Bob rewound over task-2 and synced."""
    trio.ann.task("1")
    trio.ann.task("2")
    trio.ann.git("push", "-q", "origin", "main")
    trio.bob.git("pull", "-q", "origin", "main")
    trio.ann.sync()
    trio.bob.sync()
    trio.cat.sync()
    assert trio.bob.call("rewind", rewind.Request("1")).affected_tasks == ("task-2",)
    trio.bob.sync()
    trio.ann.sync()
    trio.cat.sync()
    return trio


@pytest.mark.quick
def test_a_rewind_that_is_synced_takes_the_task_from_its_own_clone_only(bob_rewound: Trio) -> None:
    assert [state(clone) for clone in bob_rewound.every] == ["completed", HERE, "completed"]
    assert [status(clone) for clone in bob_rewound.every] == ["completed", "rewound", "completed"]
    again = [clone.sync() for clone in bob_rewound.every]
    assert {(done.fetched, done.pushed, done.deleted, done.merged) for done in again} == {((), (), (), None)}
    assert tagged(bob_rewound) == "aco"


def test_a_pull_completes_the_task_again(bob_rewound: Trio) -> None:
    bob_rewound.bob.git("pull", "-q", "origin", "main")
    assert state(bob_rewound.bob) == "completed"
    bob_rewound.bob.sync()
    assert (state(bob_rewound.ann), state(bob_rewound.bob)) == ("completed", "completed")
    assert tagged(bob_rewound) == "abco"


def test_an_undo_of_an_undo_leaves_what_was_pulled_between_them_completed(bob_rewound: Trio) -> None:
    bob_rewound.bob.git("pull", "-q", "origin", "main")
    for _ in range(3):
        bob_rewound.bob.call("undo", undo.Request(preserve="branch"))
        assert state(bob_rewound.bob) == "completed"


def test_an_undo_of_a_second_rewind_gives_the_task_that_was_pulled_its_tag_again(bob_rewound: Trio) -> None:
    bob_rewound.bob.git("pull", "-q", "origin", "main")
    bob_rewound.bob.call("rewind", rewind.Request("1"))
    plan = bob_rewound.bob.call("undo", undo.Request(dry_run=True))
    done = bob_rewound.bob.call("undo", undo.Request())
    assert (state(bob_rewound.bob), TAG in refs_of(bob_rewound.bob.top)) == ("completed", True)
    assert plan.revived == done.revived == ("task-2@1",)
    plan = bob_rewound.bob.call("undo", undo.Request(dry_run=True))
    again = bob_rewound.bob.call("undo", undo.Request())
    assert (plan.undone, again.undone, again.revived) == (("task-2@1",), ("task-2@1",), ())
    assert (state(bob_rewound.bob), TAG in refs_of(bob_rewound.bob.top)) == (HERE, False)


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_a_pull_gives_the_task_its_tag_again_with_the_next_verb_that_writes(
    bob_rewound: Trio, how: str
) -> None:
    (bob_rewound.bob.top / "own").write_text("own")
    bob_rewound.bob.git("add", "-A")
    bob_rewound.bob.git("commit", "-q", "-m", "own")
    bob_rewound.bob.git("pull", "-q", how, "origin", "main")
    assert (state(bob_rewound.bob), TAG in refs_of(bob_rewound.bob.top)) == ("completed", False)
    bob_rewound.bob.call("task start", task_start.Request("3"))
    assert TAG in refs_of(bob_rewound.bob.top)


def test_an_undo_of_a_second_rewind_makes_a_task_that_was_pulled_and_started_again_active_again(
    trio: Trio,
) -> None:
    trio.ann.task("1")
    trio.ann.call("task start", task_start.Request("2"))
    (trio.ann.top / "half").write_text("half")
    trio.ann.call("checkpoint", checkpoint.Request(message="half", everything=True))
    trio.ann.git("push", "-q", "origin", "main")
    trio.bob.git("pull", "-q", "origin", "main")
    trio.ann.sync()
    trio.bob.sync()
    trio.bob.call("rewind", rewind.Request("1"))
    trio.bob.git("pull", "-q", "origin", "main")
    trio.bob.call("task start", task_start.Request("2"))
    trio.bob.call("rewind", rewind.Request("1"))
    done = trio.bob.call("undo", undo.Request())
    assert (done.revived, done.now_active, status(trio.bob)) == (("task-2@1",), "task-2", "active")
    again = trio.bob.call("undo", undo.Request())
    assert (again.undone, again.now_active, status(trio.bob)) == (("task-2@1",), "", "rewound")
    back = trio.bob.call("undo", undo.Request())
    assert (back.now_active, status(trio.bob)) == ("task-2", "active")


def test_an_undo_completes_the_task_again_everywhere(bob_rewound: Trio) -> None:
    bob_rewound.bob.call("undo", undo.Request())
    for clone in (bob_rewound.bob, bob_rewound.ann, bob_rewound.cat):
        clone.sync()
    assert [state(clone) for clone in bob_rewound.every] == ["completed", "completed", "completed"]
    assert tagged(bob_rewound) == "abco"


def test_a_forced_push_takes_the_task_from_whoever_has_it_on_no_branch_any_more(bob_rewound: Trio) -> None:
    bob_rewound.bob.git("push", "-q", "--force", "origin", "main")
    assert state(bob_rewound.bob) == "rewound"
    assert bob_rewound.bob.sync().deleted == (TAG,)
    bob_rewound.ann.sync()
    said = bob_rewound.cat.sync()
    assert [state(clone) for clone in bob_rewound.every] == ["completed", "rewound", "rewound"]
    assert said.rewound == ("task-2",)
    bob_rewound.ann.git("fetch", "-q", "origin")
    assert state(bob_rewound.ann) == "completed"
    bob_rewound.ann.git("reset", "-q", "--hard", "origin/main")
    assert (state(bob_rewound.ann), status(bob_rewound.ann)) == ("rewound", "rewound")
    done = bob_rewound.ann.sync()
    assert (done.rewound, done.deleted) == (("task-2",), ())
    assert tagged(bob_rewound) == ""


def test_a_clone_says_so_when_no_branch_has_the_task_any_more(
    bob_rewound: Trio, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.entrypoints.cli.main import cli

    bob_rewound.bob.git("push", "-q", "--force", "origin", "main")
    bob_rewound.bob.sync()
    bob_rewound.ann.git("fetch", "-q", "origin")
    bob_rewound.ann.git("reset", "-q", "--hard", "origin/main")
    monkeypatch.chdir(bob_rewound.ann.top)
    cli(["sync"], standalone_mode=False)
    said = capsys.readouterr()
    assert "rewound: task-2, because another clone rewound it" in said.out + said.err


def test_whoever_has_it_can_bring_it_back_by_a_push(bob_rewound: Trio) -> None:
    bob_rewound.bob.git("push", "-q", "--force", "origin", "main")
    for clone in (bob_rewound.bob, bob_rewound.ann, bob_rewound.cat):
        clone.sync()
    assert tagged(bob_rewound) == "a"
    bob_rewound.ann.git("push", "-q", "origin", "main")
    assert TAG in bob_rewound.ann.sync().pushed
    bob_rewound.cat.sync()
    bob_rewound.bob.git("fetch", "-q", "origin")
    assert [state(clone) for clone in bob_rewound.every] == ["completed", HERE, "completed"]
    assert tagged(bob_rewound) == "aco"


def test_each_remote_has_the_tags_of_what_its_own_branches_have(bob_rewound: Trio) -> None:
    bob_rewound.ann.git("push", "-q", "spare", "main")
    bob_rewound.ann.sync("spare")
    bob_rewound.bob.git("push", "-q", "--force", "origin", "main")
    for _ in range(2):
        for clone, remote in (
            (bob_rewound.bob, ""),
            (bob_rewound.bob, "spare"),
            (bob_rewound.ann, ""),
            (bob_rewound.ann, "spare"),
            (bob_rewound.cat, ""),
        ):
            last = clone.sync(remote)
    assert (last.fetched, last.pushed, last.merged) == ((), (), None)
    assert state(bob_rewound.bob) == "rewound here, still on spare/main"
    assert tagged(bob_rewound) == "as"
    bob_rewound.bob.git("push", "-q", "--force", "spare", "main")
    bob_rewound.bob.sync("spare")
    assert tagged(bob_rewound) == "a"


def test_work_goes_on_where_another_clone_rewound_the_active_task(trio: Trio) -> None:
    trio.ann.task("1")
    trio.ann.call("task start", task_start.Request("2"))
    (trio.ann.top / "half").write_text("half")
    trio.ann.call("checkpoint", checkpoint.Request(message="half", everything=True))
    trio.ann.git("push", "-q", "origin", "main")
    trio.bob.git("pull", "-q", "origin", "main")
    trio.ann.sync()
    trio.bob.sync()
    trio.bob.call("rewind", rewind.Request("1"))
    trio.bob.sync()
    trio.ann.sync()
    assert state(trio.ann) == "recorded"
    (trio.ann.top / "more").write_text("more")
    trio.ann.call("checkpoint", checkpoint.Request(message="more", everything=True))
    (trio.ann.top / "rest").write_text("rest")
    trio.ann.call("task complete", task_complete.Request(message="all", everything=True))
    assert [state(trio.ann, f"task-2@{number}") for number in (1, 2, 3)] == [
        "recorded",
        "recorded",
        "completed",
    ]
    trio.ann.git("push", "-q", "origin", "main")
    for clone in (trio.ann, trio.bob, trio.cat):
        clone.sync()
    trio.bob.git("fetch", "-q", "origin")
    assert (state(trio.bob), state(trio.bob, "task-2@3")) == (HERE, "completed")
    for clone in trio.every:
        assert clone.trouble("ledger", "tags") == []


def test_what_two_clones_rewound_comes_back_where_it_was_undone(bob_rewound: Trio) -> None:
    bob_rewound.ann.call("rewind", rewind.Request("1"))
    bob_rewound.ann.sync()
    bob_rewound.bob.sync()
    bob_rewound.bob.call("undo", undo.Request())
    for clone in (bob_rewound.bob, bob_rewound.ann, bob_rewound.cat):
        clone.sync()
    assert [state(clone) for clone in bob_rewound.every] == [HERE, "completed", "completed"]
    bob_rewound.ann.call("undo", undo.Request())
    assert state(bob_rewound.ann) == "completed"


def test_verify_and_a_server_allow_the_tag_of_what_some_clones_rewound_and_its_lack(
    bob_rewound: Trio,
) -> None:
    router_of = bob_rewound.origin
    for clone in bob_rewound.every:
        assert clone.trouble("ledger", "tags") == []
    bob_rewound.bob.git("push", "-q", "--force", "origin", "main")
    bob_rewound.bob.sync()
    assert TAG not in git("for-each-ref", where=router_of)
    for clone in bob_rewound.every:
        assert clone.trouble("ledger", "tags") == []


def test_traces_are_hidden_in_the_clone_for_which_the_task_is_rewound(trio: Trio) -> None:
    trio.ann.task("1")
    trio.ann.task("2")
    trio.ann.git("push", "-q", "origin", "main")
    trio.bob.git("pull", "-q", "origin", "main")
    trio.ann.sync()
    trio.bob.sync()
    for clone in (trio.ann, trio.bob):
        clone.call("trace put", trace_put.Request(b"output", trace_id="of 2", task_id="2"))

    def shown() -> list[bool]:
        listed = [clone.call("trace list", trace_list.Request()).traces for clone in (trio.ann, trio.bob)]
        return [bool(rows) for rows in listed]

    assert shown() == [True, True]
    trio.bob.call("rewind", rewind.Request("1"))
    trio.bob.sync()
    trio.ann.sync()
    assert shown() == [True, False]
    trio.bob.git("pull", "-q", "origin", "main")
    assert shown() == [True, True]
    trio.bob.git("reset", "-q", "--hard", "HEAD~1")
    trio.bob.git("push", "-q", "--force", "origin", "main")
    trio.ann.git("fetch", "-q", "origin")
    assert shown() == [True, False]
    trio.ann.git("reset", "-q", "--hard", "origin/main")
    assert shown() == [False, False]
    trio.bob.call("undo", undo.Request(preserve="branch"))
    assert shown() == [False, True]
