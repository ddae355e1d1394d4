"""Accidents that other tools had in public, replayed, and what git's own `reset --hard` destroys, shown beside ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from devs_git.commands import rewind
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.content_oracle import ProtectedContents
from tests.support.rewind_cases import REFUSED, Case


def two(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "way": b"old\n"})
    case.stage("2", {"a": b"2\n", "way": None})


@pytest.mark.quick
def test_a_restore_never_cleans_untracked_output_away(case: Case) -> None:
    # https://github.com/github/copilot-cli/issues/1675: a restore ran `git clean -fd`, over 1 GB of output was gone.
    two(case)
    case.commit({".gitignore": b"*.log\n"})
    output = {f"output/{n}/result.jsonl": b"result %d\n" % n for n in range(20)}
    case.write(output | {"run.log": b"log\n", "output/run.log": b"log\n"})
    for call in (lambda: case.rewind("1", "discard", "save"), case.undo):
        call()
        assert {name: case.read(name) for name in output} == output
        assert (case.read("run.log"), case.read("output/run.log")) == (b"log\n", b"log\n")


@pytest.mark.quick
@pytest.mark.parametrize("uncommitted", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_a_gitignore_that_goes_back_deletes_nothing_that_it_covered(case: Case, uncommitted: bool) -> None:
    # https://github.com/cline/cline/issues/14367: .gitignore was reverted first, then what it had covered was cleaned.
    two(case)
    case.write({".gitignore": b"data/\n"})
    if uncommitted:
        case.git("add", ".gitignore")
    else:
        case.commit({})
    case.write({"data/set.csv": b"1,2\n", "data/deep/set.csv": b"3,4\n"})
    plan = case.plan("1", "stash")
    assert plan.now_visible == ("data/deep/set.csv", "data/set.csv")
    assert plan.not_covered["ignored"] == ("data/",)
    case.there_and_back("1", "stash")
    case.rewind("1", "stash")
    assert (case.read("data/set.csv"), case.read("data/deep/set.csv")) == (b"1,2\n", b"3,4\n")
    assert "?? data/" in case.git("status", "--porcelain")


def test_a_gitignore_that_comes_back_deletes_nothing_that_it_will_cover(case: Case) -> None:
    # https://github.com/cline/cline/issues/14367, the other way round.
    case.stage("1", {".gitignore": b"data/\n"})
    case.stage("2", {".gitignore": b"nothing\n"})
    case.write({"data/set.csv": b"1,2\n"})
    plan = case.plan("1")
    assert (plan.now_visible, plan.blocked_by) == ((), ())
    case.there_and_back("1")
    case.rewind("1")
    assert (case.read("data/set.csv"), case.git("status", "--porcelain")) == (b"1,2\n", "")


def test_a_file_tracked_at_head_and_absent_at_the_checkpoint_leaves(case: Case) -> None:
    # https://github.com/entireio/cli/pull/1408: such files stayed on disk after a rewind.
    case.stage("1", {"keep.txt": b"keep\n"})
    case.stage("2", {"delete-me.txt": b"bye\n", "d/delete-me.txt": b"bye\n"})
    done = case.rewind("1")
    assert [case.has("delete-me.txt"), case.has("d")] == [False, False]
    assert case.git("show", f"{done.preserved_as['reference']}:delete-me.txt") == "bye"


def test_the_plan_says_exactly_what_happens_to_the_disk(case: Case) -> None:
    # https://github.com/entireio/cli/issues/668: the warning said that changes would be lost, and git then refused.
    case.stage(
        "1", {"a": b"1\n", "gone": b"g\n", "same": b"s\n", "way": b"w\n", "x": b"file\n", "back": b"b\n"}
    )
    case.stage("2", {"a": b"2\n", "gone": None, "way": None, "x": None, "x/y": b"y\n", "new": b"n\n"})
    case.write({"a": b"edited\n", "same": b"edited\n", "back": None, "staged": b"s\n", "intended": b"i\n"})
    case.write({"way": b"mine\n", "x/mine": b"mine\n", "untouched": b"u\n", "kept.txt": b"edited and back\n"})
    case.git("add", "staged", "kept.txt")
    case.git("add", "-N", "intended")
    case.write({"kept.txt": b"kept\n"})
    blocked = case.plan("1")
    assert {row["code"] for row in blocked.blocked_by} == {REFUSED}
    assert len(blocked.blocked_by) == 2  # the changes, and what is in the way
    plan, before = case.plan("1", "discard", "save"), case.look().files
    assert plan.blocked_by == ()
    rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    after = case.look().files
    real = {
        "added": after.keys() - before.keys(),
        "deleted": before.keys() - after.keys(),
        "modified": {path for path in before.keys() & after.keys() if before[path] != after[path]},
    }
    said = {kind: {name.encode() for name in plan.files[kind]} for kind in real}
    assert said == real
    assert plan.files["count"] == sum(map(len, real.values()))


@pytest.mark.parametrize(
    "mode",
    [*(pytest.param(mode, marks=pytest.mark.thorough) for mode in ("branch", "stash")), "discard"],
)
def test_commits_made_after_the_checkpoint_are_kept_in_every_mode(case: Case, mode: str) -> None:
    # https://github.com/cline/cline/issues/13550: `reset --hard` knocked the user's commits off the branch.
    two(case)
    mine = case.commit({"mine.txt": b"mine\n"}, "by hand")
    done = case.rewind("1", mode)
    case.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    case.git("gc", "-q", "--prune=now")
    assert case.git("merge-base", "--is-ancestor", mine, done.backup) == ""
    case.undo()
    assert (case.git("rev-parse", "HEAD"), case.read("mine.txt")) == (mine, b"mine\n")


def test_an_undo_brings_back_what_was_staged_as_it_was_staged(case: Case) -> None:
    # https://github.com/openai/codex/issues/8214: an undo restored files and destroyed what was staged.
    two(case)
    case.write({"a": b"staged\n", "new": b"staged\n"})
    case.git("add", "a", "new")
    case.write({"a": b"staged and edited\n"})
    before = case.look()
    case.rewind("1", "discard")
    case.undo()
    case.look().must_equal(before)
    assert case.git("diff", "--cached", "--name-status") == "M\ta\nA\tnew"
    assert case.git("show", ":a") == "staged"


# What `git reset --hard` destroys.


@dataclass(frozen=True)
class Loss:
    """A content that `reset --hard HEAD~1` loses, how it comes about, and whether a rewind can save it."""

    make: Callable[[Case], None]
    saved: bool
    quick: bool = False


def _untracked_folder(case: Case) -> None:
    case.write({"way/mine": b"only here\n", "way/deep/mine": b"only here too\n"})


def _nested(case: Case) -> None:
    inner = Case(case.top / "way")
    inner.top.mkdir()
    inner.git("init", "-q")
    inner.commit({"theirs": b"only there\n"})
    inner.write({"theirs": b"uncommitted\n"})


def _ignored(case: Case) -> None:
    (case.top / ".git/info").mkdir(exist_ok=True)
    (case.top / ".git/info/exclude").write_text("way\n")
    case.write({"way": b"ignored, and only here\n"})


def _intended(case: Case) -> None:
    case.write({"intended": b"only here\n"})
    case.git("add", "-N", "intended")


LOSSES = {
    "an untracked directory": Loss(_untracked_folder, saved=True),
    "a nested repository": Loss(_nested, saved=False, quick=True),
    "an ignored file": Loss(_ignored, saved=True),
    "an intent-to-add file": Loss(_intended, saved=True, quick=True),
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[] if LOSSES[what].quick else pytest.mark.thorough) for what in LOSSES]
)
def test_what_a_hard_reset_destroys_a_rewind_keeps(case: Case, what: str) -> None:
    two(case)
    LOSSES[what].make(case)
    control = Case(case.top.parent / "control")
    shutil.copytree(case.top, control.top, symlinks=True)
    held = ProtectedContents.now(case)
    control.git("reset", "-q", "--hard", "HEAD~1")
    with pytest.raises(AssertionError, match="lost: "):
        held.assert_nothing_lost(control)
    case.assert_refused("1")
    held.assert_nothing_lost(case)
    if LOSSES[what].saved:
        case.there_and_back("1", "discard", "save")
        case.rewind("1", "discard", "save")
        held.assert_nothing_lost(case)
    else:
        with pytest.raises(DevsError):
            case.rewind("1", "discard", "save")
        held.assert_nothing_lost(case)


STEPS = ("capture", "backup", "journal", "index lock", "verify")


@pytest.mark.parametrize(
    "step", ["files", "refs", *(pytest.param(step, marks=pytest.mark.thorough) for step in STEPS)]
)
def test_a_commit_that_another_process_makes_at_that_moment_is_kept(case: Case, step: str) -> None:
    two(case)
    case.write({"kept.txt": b"being committed\n"})
    made: list[str] = []

    def meanwhile(name: str, _done: int, _total: int) -> None:
        if name == step and not made:
            # with a tree and a ref alone, as a tool would that does not wait for the index
            commit = case.git("commit-tree", "-p", "HEAD", "-m", "theirs", "HEAD^{tree}")
            case.git("update-ref", "refs/heads/main", commit)
            made.append(commit)

    opened = Workspace.open(case.top)
    with pytest.raises(DevsError) as error:
        rewind.run(Workspace(opened.places, progress=meanwhile), rewind.Request("1", preserve="discard"))
    assert error.value.code in ("PLAN_STALE", REFUSED)
    assert case.git("rev-parse", "HEAD") == made[0]
    assert (case.read("a"), case.read("kept.txt")) == (b"2\n", b"being committed\n")
    assert case.git("status", "--porcelain") == " M kept.txt"
