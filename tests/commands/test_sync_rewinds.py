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
def told(trio: Trio) -> Trio:
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
def test_a_rewind_that_is_synced_takes_the_task_from_its_own_clone_only(told: Trio) -> None:
    assert [state(clone) for clone in told.every] == ["completed", HERE, "completed"]
    assert [status(clone) for clone in told.every] == ["completed", "rewound", "completed"]
    again = [clone.sync() for clone in told.every]
    assert {(done.fetched, done.pushed, done.deleted, done.merged) for done in again} == {((), (), (), None)}
    assert tagged(told) == "aco"


def test_a_pull_completes_the_task_again(told: Trio) -> None:
    told.bob.git("pull", "-q", "origin", "main")
    assert state(told.bob) == "completed"
    told.bob.sync()
    assert (state(told.ann), state(told.bob)) == ("completed", "completed")
    assert tagged(told) == "abco"


def test_an_undo_of_an_undo_leaves_what_was_pulled_between_them_completed(told: Trio) -> None:
    told.bob.git("pull", "-q", "origin", "main")
    for _ in range(3):
        told.bob.call("undo", undo.Request(preserve="branch"))
        assert state(told.bob) == "completed"


def test_an_undo_of_a_second_rewind_gives_the_task_that_was_pulled_its_tag_again(told: Trio) -> None:
    told.bob.git("pull", "-q", "origin", "main")
    told.bob.call("rewind", rewind.Request("1"))
    plan = told.bob.call("undo", undo.Request(dry_run=True))
    done = told.bob.call("undo", undo.Request())
    assert (state(told.bob), TAG in refs_of(told.bob.top)) == ("completed", True)
    assert plan.revived == done.revived == ("task-2@1",)
    plan = told.bob.call("undo", undo.Request(dry_run=True))
    again = told.bob.call("undo", undo.Request())
    assert (plan.undone, again.undone, again.revived) == (("task-2@1",), ("task-2@1",), ())
    assert (state(told.bob), TAG in refs_of(told.bob.top)) == (HERE, False)


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_a_pull_gives_the_task_its_tag_again_with_the_next_verb_that_writes(told: Trio, how: str) -> None:
    (told.bob.top / "own").write_text("own")
    told.bob.git("add", "-A")
    told.bob.git("commit", "-q", "-m", "own")
    told.bob.git("pull", "-q", how, "origin", "main")
    assert (state(told.bob), TAG in refs_of(told.bob.top)) == ("completed", False)
    told.bob.call("task start", task_start.Request("3"))
    assert TAG in refs_of(told.bob.top)


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


def test_an_undo_completes_the_task_again_everywhere(told: Trio) -> None:
    told.bob.call("undo", undo.Request())
    for clone in (told.bob, told.ann, told.cat):
        clone.sync()
    assert [state(clone) for clone in told.every] == ["completed", "completed", "completed"]
    assert tagged(told) == "abco"


def test_a_forced_push_takes_the_task_from_whoever_has_it_on_no_branch_any_more(told: Trio) -> None:
    told.bob.git("push", "-q", "--force", "origin", "main")
    assert state(told.bob) == "rewound"
    assert told.bob.sync().deleted == (TAG,)
    told.ann.sync()
    said = told.cat.sync()
    assert [state(clone) for clone in told.every] == ["completed", "rewound", "rewound"]
    assert said.rewound == ("task-2",)
    told.ann.git("fetch", "-q", "origin")
    assert state(told.ann) == "completed"
    told.ann.git("reset", "-q", "--hard", "origin/main")
    assert (state(told.ann), status(told.ann)) == ("rewound", "rewound")
    done = told.ann.sync()
    assert (done.rewound, done.deleted) == (("task-2",), ())
    assert tagged(told) == ""


def test_a_clone_says_so_when_no_branch_has_the_task_any_more(
    told: Trio, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.entrypoints.cli.main import cli

    told.bob.git("push", "-q", "--force", "origin", "main")
    told.bob.sync()
    told.ann.git("fetch", "-q", "origin")
    told.ann.git("reset", "-q", "--hard", "origin/main")
    monkeypatch.chdir(told.ann.top)
    cli(["sync"], standalone_mode=False)
    said = capsys.readouterr()
    assert "rewound: task-2, because another clone rewound it" in said.out + said.err


def test_whoever_has_it_can_bring_it_back_by_a_push(told: Trio) -> None:
    told.bob.git("push", "-q", "--force", "origin", "main")
    for clone in (told.bob, told.ann, told.cat):
        clone.sync()
    assert tagged(told) == "a"
    told.ann.git("push", "-q", "origin", "main")
    assert TAG in told.ann.sync().pushed
    told.cat.sync()
    told.bob.git("fetch", "-q", "origin")
    assert [state(clone) for clone in told.every] == ["completed", HERE, "completed"]
    assert tagged(told) == "aco"


def test_each_remote_has_the_tags_of_what_its_own_branches_have(told: Trio) -> None:
    told.ann.git("push", "-q", "spare", "main")
    told.ann.sync("spare")
    told.bob.git("push", "-q", "--force", "origin", "main")
    for _ in range(2):
        for clone, remote in (
            (told.bob, ""),
            (told.bob, "spare"),
            (told.ann, ""),
            (told.ann, "spare"),
            (told.cat, ""),
        ):
            last = clone.sync(remote)
    assert (last.fetched, last.pushed, last.merged) == ((), (), None)
    assert state(told.bob) == "rewound here, still on spare/main"
    assert tagged(told) == "as"
    told.bob.git("push", "-q", "--force", "spare", "main")
    told.bob.sync("spare")
    assert tagged(told) == "a"


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
    assert state(trio.ann) == "active"
    (trio.ann.top / "more").write_text("more")
    trio.ann.call("checkpoint", checkpoint.Request(message="more", everything=True))
    (trio.ann.top / "rest").write_text("rest")
    trio.ann.call("task complete", task_complete.Request(message="all", everything=True))
    assert [state(trio.ann, f"task-2@{number}") for number in (1, 2, 3)] == ["completed"] * 3
    trio.ann.git("push", "-q", "origin", "main")
    for clone in (trio.ann, trio.bob, trio.cat):
        clone.sync()
    trio.bob.git("fetch", "-q", "origin")
    assert (state(trio.bob), state(trio.bob, "task-2@3")) == (HERE, "completed")
    for clone in trio.every:
        assert clone.trouble("ledger", "tags") == []


def test_what_two_clones_rewound_comes_back_where_it_was_undone(told: Trio) -> None:
    told.ann.call("rewind", rewind.Request("1"))
    told.ann.sync()
    told.bob.sync()
    told.bob.call("undo", undo.Request())
    for clone in (told.bob, told.ann, told.cat):
        clone.sync()
    assert [state(clone) for clone in told.every] == [HERE, "completed", "completed"]
    told.ann.call("undo", undo.Request())
    assert state(told.ann) == "completed"


def test_verify_and_a_server_allow_the_tag_of_what_some_clones_rewound_and_its_lack(told: Trio) -> None:
    router_of = told.origin
    for clone in told.every:
        assert clone.trouble("ledger", "tags") == []
    told.bob.git("push", "-q", "--force", "origin", "main")
    told.bob.sync()
    assert TAG not in git("for-each-ref", where=router_of)
    for clone in told.every:
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
