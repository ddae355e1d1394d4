"""What is said after a command that destroys something, and what is kept before it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import restore
from devs_git.operations.moments import net_loss
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.support.net_scene import Net, dirty

Run = Callable[..., str]
pytestmark = pytest.mark.quick


@pytest.fixture
def scene(repo: Path) -> Net:
    dirty(repo)
    return Net(repo)


@pytest.fixture
def stashable(repo: Path) -> Net:
    dirty(repo, intended=False)
    return Net(repo)


ALL = ("f1.txt", "f2.txt", "f3.txt", "src/new.bin", "run.sh", "link", "intended.txt", "added.txt")
# A command, and the words that its line has.
GONE = {
    "git reset --hard": ["6 uncommitted files", "rewind moment:"],
    "git checkout -- .": ["3 uncommitted files"],
    "git restore f2.txt": ["1 uncommitted file (f2.txt)"],
    "git clean -fd": ["3 uncommitted files"],
    "git clean -fdx": ["3 uncommitted files", "2 ignored files (build/out, debug.log)"],
    "git stash -q": ["uncommitted files"],
    "git stash -qu": ["uncommitted files"],
    "rm -rf src": ["1 uncommitted file (src/new.bin)"],
    "rm debug.log": ["1 ignored file (debug.log)"],
    "git rm -qf added.txt": ["1 uncommitted file (added.txt)"],
    "git reset -q": ["1 staged version (f1.txt)"],
    "git reset -q --hard HEAD~1": ["1 commit", " c3)"],
    "git stash -q && git stash drop -q": ["uncommitted files"],
}


@pytest.mark.parametrize("command", GONE)
def test_a_command_that_destroys_is_followed_by_one_line(command: str, repo: Path) -> None:
    dirty(repo, intended="stash" not in command)
    scene = Net(repo)
    (line,) = scene.run(command)
    assert "\n" not in line
    for words in GONE[command]:
        assert words in line


QUIET = (
    "git add -A",
    "git commit -qam work",
    "echo more >> f2.txt",
    "sed -i s/unstaged/edited/ f2.txt",
    "mv src/new.bin src/newer.bin",
    "git stash -q && git stash pop -q --index",
    "git commit -q --amend -m again",
    "echo x > f2.txt && git commit -qam edited",
    "git add -A && git commit -qm all && git switch -qc other HEAD~1",
    "git switch -qc topic",
    "chmod +x f2.txt",
    "git branch topic && git branch -D topic",
    "git branch -m renamed",
    "touch new && rm new",
    "git restore --staged f1.txt && git add f1.txt",
    "true",
)


@pytest.mark.parametrize("command", QUIET)
def test_work_that_is_edited_committed_or_moved_is_not_lost(command: str, repo: Path) -> None:
    dirty(repo, intended="stash" not in command)
    scene = Net(repo)
    assert scene.run(command) == ()


def test_a_stash_entry_a_branch_and_commits_of_another_branch_are_named(stashable: Net, git: Run) -> None:
    git("stash", "-q", "-u")
    git("branch", "topic")
    git("commit", "-q", "--allow-empty", "-m", "only here")
    git("branch", "-f", "topic")
    git("reset", "-q", "--hard", "HEAD~1")
    topic = git("rev-parse", "topic")
    (line,) = stashable.run("git stash drop -q; git branch -D topic")
    assert "1 branch (topic), 1 stash entry" in line
    git("branch", "topic", topic)
    assert len(stashable.lines) == 1


def test_a_lost_commit_is_named_whatever_signs_its_subject_has(repo: Path, git: Run) -> None:
    (repo / "f2.txt").write_text("more\n")
    git("commit", "-qam", "one\x1etwo\x1fthree")
    (line,) = Net(repo).run("git reset -q --hard HEAD~1")
    assert "1 commit" in line


def test_a_stash_entry_that_was_applied_is_not_lost(stashable: Net, git: Run) -> None:
    git("stash", "-q", "-u")
    assert stashable.run("git stash pop -q") == ()


def test_a_rebase_that_drops_a_commit_is_named_and_one_that_moves_commits_is_not(
    repo: Path, git: Run
) -> None:
    net = Net(repo)
    for name in ("one", "two"):
        (repo / name).write_text(name)
        git("add", "-A")
        git("commit", "-qm", name)
    git("switch", "-qc", "base", "HEAD~2")
    (repo / "other").write_text("x")
    git("add", "-A")
    git("commit", "-qm", "other")
    git("switch", "-q", "main")
    assert net.run("git rebase -q base") == ()
    (line,) = net.run("git rebase -q --onto HEAD~2 HEAD~1")
    assert "1 commit (" in line
    assert " one)" in line


def test_the_line_goes_when_the_work_is_back_and_after_a_day(
    stashable: Net, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stashable.run("git stash -qu")
    assert stashable.lines
    git("stash", "pop", "-q", "--index")
    assert stashable.lines == ()
    stashable.run("git stash -qu")
    assert stashable.lines
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2126-01-01T00:00:00Z")
    assert stashable.lines == ()


def test_each_session_is_told_once(scene: Net) -> None:
    scene.run("git reset -q --hard")
    workspace = Workspace.open()
    (line,) = net_loss.tell(workspace, "s1")
    assert line == scene.lines[0]
    assert net_loss.tell(workspace, "s1") == ()
    assert net_loss.tell(workspace, "s2") == (line,)
    moment = line.rpartition("moment:")[2][:10]
    whole = next(
        m.id
        for m in read_moments.list_moments(workspace.store_git, workspace.objects)
        if m.id.startswith(moment)
    )
    net_loss.brought_back(workspace, whole)
    assert scene.lines == ()


def test_a_linked_worktree_that_is_removed_from_elsewhere_has_a_moment(
    scene: Net, git: Run, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", os.fspath(linked))
    (linked / "work.txt").write_text("work")
    for command in (
        "git worktree remove --force linked",
        "rm -rf ../linked",
        f"rm -rf {linked}",
        "rm -rf ~/../linked",
    ):
        git("worktree", "prune")
        if not linked.exists():
            git("worktree", "add", "-fq", os.fspath(linked), "linked")
            (linked / "work.txt").write_text("work")
        line = scene.run(command)[-1]
        assert f"the worktree {linked} with 1 uncommitted file (work.txt)" in line
        assert f"devs-git restore moment:{line.partition('moment:')[2][:10]} --worktree {linked}" in line


@pytest.mark.parametrize("folder", ["../linked", "~/../linked", "{}"])
def test_what_a_command_of_git_takes_from_another_worktree_is_named(
    folder: str, scene: Net, git: Run, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", os.fspath(linked))
    (linked / "a.txt").write_text("work")
    (line,) = scene.run(f"git -C {folder.format(linked)} reset --hard")
    assert "1 uncommitted file (a.txt)" in line
    assert f"git -C {linked} devs rewind moment:" in line


def test_a_session_that_removes_its_own_worktree_is_known_in_the_main_one(
    repo: Path, git: Run, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", os.fspath(linked))
    (linked / "work.txt").write_text("work")
    Net(linked).run("git worktree remove --force ../linked")
    assert not linked.exists()
    (line,) = Net(repo).lines
    assert "work.txt" in line
    assert net_loss.tell(Workspace.open(repo), "s") == (line,)
    assert Net(repo).lines == (line,)


def test_ignored_files_that_fit_are_in_the_moment_and_the_others_are_named_before(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.bin\nlib/\n")
    (repo / "small.bin").write_bytes(b"x")
    with (repo / "large.bin").open("wb") as file:
        file.truncate(65 << 20)
    subprocess.run(["git", "init", "-q", "lib/inner"], cwd=repo, check=True)
    net = Net(repo)
    net.run("ls")
    assert net.warned.text == ""
    (line,) = net.run("git clean -fdx")
    assert net.warned.text.startswith("devs-git: `git clean -fdx` may destroy what no moment holds")
    assert "large.bin (65 MiB)" in net.warned.text
    assert "lib" not in net.warned.text
    assert "1 ignored file (small.bin)" in line
    assert "(not kept, so gone for good: large.bin)" in line
    net.run("rm -rf lib")
    assert "lib/inner/ (a repository of its own)" in net.warned.text
    assert not net.warned.refused


def test_a_script_that_a_command_names_counts_as_the_command(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.log\n")
    (repo / "a.log").write_text("x")
    (repo / "x.py").write_text("import os\nos.remove('a.log')\n")
    (line,) = Net(repo).run("python3 x.py")
    assert "1 ignored file (a.log)" in line


def test_the_view_of_the_ledger_is_no_work_that_is_lost(repo: Path) -> None:
    dirty(repo)
    (repo / ".git/info/exclude").write_text(".devs/\n")
    (repo / ".devs").mkdir()
    (repo / ".devs" / "policy.yaml").write_text("view\n")
    (line,) = Net(repo).run("git clean -fdx")
    assert "2 ignored files (build/out, debug.log)" in line


def test_work_in_the_middle_of_a_merge_comes_back_by_the_command_that_is_named(
    initialised: Path, git: Run
) -> None:
    git("switch", "-qc", "side", "HEAD~1")
    (initialised / "f1.txt").write_text("side\n")
    git("commit", "-qam", "side")
    git("switch", "-q", "main")
    (initialised / "f1.txt").write_text("main\n")
    git("commit", "-qam", "main")
    subprocess.run(["git", "merge", "-q", "side"], cwd=initialised, check=False, capture_output=True)
    (initialised / "f1.txt").write_text("resolved\n")
    (line,) = Net(initialised).run("git merge --abort")
    command = line.rpartition("bring it back: ")[2].rstrip(".").split()
    assert command[:2] == ["devs-git", "restore"]
    restore.run(Workspace.open(initialised), restore.Request(command[2]))
    assert (initialised / "f1.txt").read_text() == "resolved\n"


def test_a_file_that_an_older_commit_overwrites_is_named_with_what_else_is_gone(
    repo: Path, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "f1.txt").write_text("old")
    with monkeypatch.context() as past:
        past.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
        git("commit", "-qam", "old")
    (repo / "f1.txt").write_text("new")
    git("commit", "-qam", "new")
    (repo / "f1.txt").write_text("mine")
    (repo / "f2.txt").write_text("mine")
    lines = Net(repo).run("git restore f2.txt && git restore --source=HEAD~1 f1.txt")
    assert any("2 uncommitted files (f1.txt, f2.txt)" in line for line in lines)
