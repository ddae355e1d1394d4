"""The strict hook: it refuses forbidden moves of refs, and git maintenance still works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import doctor, init, snapshot_create, task_complete, task_start, undo
from devs_git.commands import rewind as rewind_verb
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support.gate_scene import NEW, TAS, ask, commit

Run = Callable[..., str]
LEDGER = "refs/heads/devs/ledger"


@pytest.fixture
def top(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A strict repository with a completed task, and its branch and tags packed."""
    return moulded("strict", lambda: request.getfixturevalue("_strict"))


@pytest.fixture
def _strict(initialised: Path, git: Run) -> None:
    done = router.call("init", Workspace.open(), init.Request(strict=True))
    assert [action.did for action in done.actions if action.what == "hook reference-transaction"] == [
        "created"
    ]
    router.call("task start", Workspace.open(), task_start.Request("10", title="Parse dates"))
    (initialised / "a.txt").write_text("more\n")
    router.call("task complete", Workspace.open(), task_complete.Request(message="done", everything=True))
    git("branch", "side", "HEAD~1")


def attempt(*words: str, **env: str) -> tuple[int, str]:
    done = subprocess.run(
        ["git", *words], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def refused(code: str, *words: str) -> None:
    status, said = attempt(*words)
    assert status != 0
    assert f"devs-git: {code}: " in said, said


@pytest.mark.quick(1)
@pytest.mark.parametrize("packed", [False, True])
def test_the_ledger_and_visible_tags_do_not_move_by_hand(packed: bool, top: Path, git: Run) -> None:
    if packed:
        git("pack-refs", "--all")
    before = git("rev-parse", LEDGER, "refs/tags/devs/task-10")
    refused("LEDGER_MISSING", "update-ref", "-d", LEDGER)
    refused("LEDGER_MISSING", "branch", "-D", "devs/ledger")
    refused("LEDGER_ROLLBACK", "update-ref", LEDGER, f"{LEDGER}~1")
    refused("LEDGER_ROLLBACK", "update-ref", LEDGER, "HEAD")
    refused("LEDGER_ROLLBACK", "branch", "-f", "devs/ledger", f"{LEDGER}~2")
    by_hand = git("commit-tree", "-p", LEDGER, "-m", "mine", f"{LEDGER}^{{tree}}")
    refused("LEDGER_MUTATED", "update-ref", LEDGER, by_hand)
    refused("TAG_MOVED", "tag", "-f", "devs/task-10", "HEAD")
    refused("TAG_MOVED", "update-ref", "refs/tags/devs/task-10", "HEAD~1")
    assert git("rev-parse", LEDGER, "refs/tags/devs/task-10") == before
    assert (top / ".git/packed-refs").exists() == packed


def test_our_own_verbs_go_on(top: Path, git: Run) -> None:
    for number in (11, 12):
        router.call("task start", Workspace.open(), task_start.Request(str(number)))
        commit(top, {f"{number}.txt": "x\n"})
        router.call("task complete", Workspace.open(), task_complete.Request(message="done"))
    router.call("rewind", Workspace.open(), rewind_verb.Request("10"))
    assert git("tag", "-l", "devs/*") == "devs/task-10"
    router.call("undo", Workspace.open(), undo.Request())
    assert git("tag", "-l", "devs/*").split() == ["devs/task-10", "devs/task-11", "devs/task-12"]
    git("commit", "-q", "--amend", "-m", "reworded")  # the tag follows, with an event
    assert git("rev-parse", "refs/tags/devs/task-12^{commit}") == git("rev-parse", "HEAD")


def test_gits_upkeep_keeps_working(top: Path, git: Run, tmp_path: Path) -> None:
    before = git("for-each-ref", "--format=%(objectname) %(refname)")
    git("pack-refs", "--all", "--prune")
    git("pack-refs", "--all", "--prune")
    git("gc", "-q", "--prune=now")
    assert git("for-each-ref", "--format=%(objectname) %(refname)") == before
    assert not (top / ".git" / LEDGER).exists()
    (top / "a.txt").write_text("stashed\n")
    git("stash", "-q")
    git("stash", "pop", "-q")
    git("checkout", "-q", ".")
    git("bisect", "start", "-q", "HEAD", "HEAD~2")
    git("bisect", "good")
    git("bisect", "reset")
    env = {"GIT_SEQUENCE_EDITOR": "sed -i 1s/pick/reword/", "GIT_EDITOR": "sed -i 1s/^/again:/"}
    status, said = attempt("rebase", "-q", "-i", "HEAD~2", **env)
    assert status == 0, said
    origin = tmp_path / "origin.git"
    git("clone", "-q", "--bare", str(top), str(origin))
    git("tag", "-d", "devs/task-10", where=origin)
    git("remote", "add", "origin", str(origin))
    git("fetch", "-q", "--prune", "--prune-tags", "origin")
    assert git("tag", "-l", "devs/*") == ""
    router.call("task start", Workspace.open(), task_start.Request("11"))
    assert git("tag", "-l", "devs/*") == "devs/task-10"


def test_no_commit_is_made_while_frozen_not_by_plumbing_either(top: Path, git: Run) -> None:
    git("format-patch", "-q", "-1", "-o", "..")
    # With the same name and within one second, `git am` would make the same commit again.
    git("config", "user.name", "Grace")
    git("checkout", "-q", "-b", "work", "HEAD~1")
    patch = next(top.parent.glob("*.patch"))
    made = git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    ask(Workspace.open(), kind="MANUAL")
    (top / ".git/hooks/applypatch-msg").unlink()  # as `am --no-verify` of newer gits does
    refused("GATE_BLOCKED", "am", "-q", str(patch))
    attempt("am", "--abort")
    refused("GATE_BLOCKED", "update-ref", "refs/heads/work", made)
    refused("GATE_BLOCKED", "branch", "new", made)
    refused("GATE_BLOCKED", "update-ref", "HEAD", made)
    refused("GATE_BLOCKED", "rebase", "-q", "--apply", "--no-verify", "--force-rebase", "HEAD~1")
    attempt("rebase", "--abort")
    for words in (
        "branch new main",
        "reset -q --hard HEAD~1",
        "reset -q --hard work@{1}",
        "merge -q --ff-only main",
        "checkout -q --detach",
        "switch -q side",
        "branch -D new",
        "stash -u",
        "gc -q",
    ):
        status, said = attempt(*words.split())
        assert status == 0, (words, said)


def test_what_a_remote_has_comes_in_while_frozen(top: Path, git: Run, tmp_path: Path) -> None:
    """Commits made elsewhere come by fetch, with their tags, and branches go forward to them: the hook cannot tell whose they are."""
    origin, other = tmp_path / "origin.git", tmp_path / "other"
    git("clone", "-q", "--bare", str(top), str(origin))
    git("remote", "add", "origin", str(origin))
    git("clone", "-q", str(origin), str(other))
    for words in ("commit -q --allow-empty -m theirs", "tag theirs", "push -q --tags origin main"):
        git(*words.split(), where=other)
    git("tag", "old", "HEAD~2")
    ask(Workspace.open(), kind="MANUAL")
    for words in (
        "fetch -q origin",
        "merge -q --ff-only origin/main",
        "tag here HEAD~1",
        "tag -a -m x now HEAD",
        "switch -q --detach theirs",
        "branch from-there theirs",
        "reset -q --hard HEAD~1",
        "reset -q --hard ORIG_HEAD",
        "branch -D from-there",
    ):
        status, said = attempt(*words.split())
        assert status == 0, (words, said)


def test_a_snapshot_that_is_made_while_frozen_comes_to_no_other_branch(top: Path, git: Run) -> None:
    ask(Workspace.open(), kind="MANUAL")
    (top / "a.txt").write_text("changed\n")
    made = router.call("snapshot create", Workspace.open(), snapshot_create.Request())
    git("stash", "-q")
    refused("GATE_BLOCKED", "merge", "-q", "--ff-only", made.branch)
    refused("GATE_BLOCKED", "branch", "other", made.branch)
    git("switch", "-q", "--detach", made.branch)  # to look at


def test_a_branch_or_a_tag_is_no_link_to_another_kind_of_ref(top: Path) -> None:
    """git passes symbolic refs to the hook since 2.46."""
    hook = top / ".git/hooks/reference-transaction"
    for ref, target, status in (
        ("refs/heads/x", "refs/y", 1),
        ("refs/tags/x", "refs/heads/main", 1),
        ("refs/heads/x", "refs/heads/main", 0),
        ("HEAD", "refs/heads/side", 0),
    ):
        line = f"{'0' * 40} ref:{target} {ref}\n"
        done = subprocess.run(
            [str(hook), "prepared"], input=line, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "INVALID_BRANCH" in done.stderr) == (status, bool(status)), (ref, target)


def test_an_approved_text_lands_in_a_strict_repository(top: Path, git: Run) -> None:
    from devs_git.commands import gate_approve

    commit(top, {"TAS.md": TAS})
    gate = ask(Workspace.open(), text=NEW)
    request = gate_approve.Request(gate, ask=lambda _question: None)
    router.call("gate approve", Workspace.open(), request)
    assert git("show", "main:TAS.md") + "\n" == NEW


def test_strict_stays_until_it_is_taken_out(top: Path, git: Run) -> None:
    hook = top / ".git/hooks/reference-transaction"
    router.call("init", Workspace.open(), init.Request())
    assert hook.exists()
    found = router.call("doctor", Workspace.open(), doctor.Request())
    assert [one.code for one in found.findings if one.code.startswith("HOOK")] == []
    hook.chmod(0o644)
    words = [sys.executable, "-P", "-m", "devs_git", "doctor"]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    assert "reference-transaction" in said
    router.call("init", Workspace.open(), init.Request(uninstall=True))
    assert not hook.exists()
    git("tag", "-f", "devs/task-10", "HEAD")


def test_a_transaction_of_many_refs_takes_little_longer_than_reading_them(top: Path, git: Run) -> None:
    new = git("rev-parse", "HEAD")
    rows = "".join(f"{'0' * 40} {new} refs/tags/release/{number}\n" for number in range(20_000))
    moves = top / ".git/moves"
    moves.write_text(rows)

    def seconds(*words: str) -> float:
        """Processor time with all children."""
        with moves.open() as lines:
            child = subprocess.Popen(words, cwd=top, stdin=lines, env={**os.environ, "GIT_DIR": ".git"})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return used.ru_utime + used.ru_stime

    read = seconds("sh", "-c", "while read -r old new ref; do :; done")
    assert seconds("sh", ".git/hooks/reference-transaction", "prepared") < 10 * read + 0.5


def test_more_refs_than_arguments_can_name_move_at_once_while_frozen(top: Path, git: Run) -> None:
    ask(Workspace.open(), kind="MANUAL")
    known = git("rev-parse", "HEAD")
    made = git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    rows = "".join(f"{'0' * 40} {known} refs/tags/release/{number}\n" for number in range(60_000))

    def moves(more: str) -> tuple[int, str]:
        hook = ["sh", ".git/hooks/reference-transaction", "prepared"]
        env = {**os.environ, "GIT_DIR": ".git"}
        done = subprocess.run(
            hook, cwd=top, env=env, input=rows + more, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    assert moves("") == (0, "")
    status, said = moves(f"{'0' * 40} {made} refs/heads/last\n")
    assert (status, "GATE_BLOCKED" in said) == (1, True)


@pytest.mark.parametrize("asked", ["by standard input", "by arguments, as an older hook does"])
def test_a_tag_that_no_event_explains_is_refused_beside_an_event_too(asked: str, top: Path, git: Run) -> None:
    event, oid = git("rev-parse", LEDGER), git("rev-parse", "HEAD")
    pair = f"refs/tags/devs/task-10:{oid}"
    hook = [sys.executable, "-P", "-m", "devs_git", "hook", "strict-tags", event]
    words, given = ([pair], "") if "arguments" in asked else ([], "\n".join([pair] * 60_000))
    done = subprocess.run([*hook, *words], cwd=top, input=given, capture_output=True, text=True, check=False)
    assert (done.returncode != 0, "TAG_NOT_ANNOTATED" in done.stderr) == (True, True), done.stderr
