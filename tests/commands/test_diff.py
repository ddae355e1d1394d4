"""`diff` says per file what changed, whatever the names and bytes, and runs no program that the repository names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import task_complete, task_start
from devs_git.commands.diff import Request, Result, run
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.workspace import Workspace

Make = Callable[..., str]


def call(name: str, top: Path, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def table(result: Result) -> dict[str, tuple[str, int, int]]:
    return {item.path: (item.action, item.additions, item.deletions) for item in result.files}


def commit(git: Make) -> None:
    git("add", "-A")
    git("commit", "-qm", "work")


@pytest.mark.quick
def test_each_action_with_its_lines_and_the_totals(
    ledgered: Workspace, mark: Make, git: Make, repo: Path
) -> None:
    (repo / "long.txt").write_text("".join(f"line {n}\n" for n in range(40)))
    commit(git)
    mark(9, completed=True)
    (repo / "long.txt").rename(repo / "moved.txt")
    (repo / "f1.txt").unlink()
    (repo / "a.txt").write_text("line 1\nline 2\nchanged\n")
    (repo / "new.txt").write_text("a\nb\n")
    commit(git)
    mark(10, completed=True)
    result = run(ledgered, Request("task-10"))
    assert table(result) == {
        "a.txt": ("modified", 1, 1),
        "f1.txt": ("deleted", 0, 1),
        "moved.txt": ("renamed", 0, 0),
        "new.txt": ("added", 2, 0),
    }
    assert [item.old_path for item in result.files if item.old_path] == ["long.txt"]
    assert (result.stats.files_changed, result.stats.insertions, result.stats.deletions) == (4, 3, 2)
    assert (result.from_name, result.to_name, result.truncated) == ("task-10@0", "task-10@1", False)
    assert run(ledgered, Request("task-10@1")).from_name == "task-9@1"


def test_without_against_the_nearest_live_ancestor_checkpoint_is_before(
    ledgered: Workspace, mark: Make, rewound: Make, git: Make
) -> None:
    mark(9, 1)
    git("commit", "--allow-empty", "-qm", "x")
    gone = mark(9, 2)
    git("commit", "--allow-empty", "-qm", "y")
    mark(10, 1)
    assert run(ledgered, Request("task-10@1")).from_name == "task-9@2"
    rewound(gone)
    assert run(ledgered, Request("task-10@1")).from_name == "task-9@1"


def test_the_first_checkpoint_is_compared_with_its_parent_or_with_nothing(
    ledgered: Workspace, mark: Make, git: Make
) -> None:
    mark(10, 1)
    result = run(ledgered, Request("task-10@1"))
    assert (result.from_, set(table(result))) == (git("rev-parse", "HEAD^"), {"a.txt", "f3.txt"})
    git("checkout", "-q", "--orphan", "fresh")
    git("commit", "-qm", "root")
    mark(11, 1)
    result = run(ledgered, Request("task-11@1"))
    assert (result.from_, result.stats.files_changed) == (EMPTY_TREE, 4)


def test_against_takes_a_checkpoint_head_or_a_commit(
    ledgered: Workspace, mark: Make, git: Make, repo: Path
) -> None:
    mark(10, 1)
    (repo / "new.txt").write_text("a\n")
    commit(git)
    for against in ("HEAD", git("rev-parse", "HEAD"), "main"):
        assert table(run(ledgered, Request("task-10@1", against))) == {"new.txt": ("deleted", 0, 1)}
    assert run(ledgered, Request("task-10@1", "task-10@1")).files == ()
    for against, code in (("task-77", "TASK_NOT_FOUND"), ("--output=x", "INVALID_ARGUMENTS")):
        with pytest.raises(DevsError) as caught:
            run(ledgered, Request("task-10@1", against))
        assert caught.value.code == code


@pytest.mark.quick
def test_hunks_belong_to_their_files_and_the_cap_says_that_it_cut(
    ledgered: Workspace, mark: Make, git: Make, repo: Path
) -> None:
    mark(9, 1)
    (repo / "a.txt").unlink()
    (repo / "a.txt").symlink_to("f1.txt")  # a change of type is two sections of a patch
    (repo / "f1.txt").chmod(0o755)
    (repo / "f2.txt").write_text("--- two\n+++ two\n")
    commit(git)
    mark(10, 1)
    result = run(ledgered, Request("task-10@1", hunks=True))
    lines = {item.path: [line for hunk in item.hunks for line in hunk.lines] for item in result.files}
    assert lines["a.txt"][0] == "-line 1"
    assert lines["a.txt"][-2:] == ["+f1.txt", "\\ No newline at end of file"]
    assert (lines["f1.txt"], lines["f2.txt"]) == ([], ["-2", "+--- two", "++++ two"])
    assert not result.truncated
    cut = run(ledgered, Request("task-10@1", hunks=True, hunk_lines=2))
    assert (cut.truncated, sum(len(hunk.lines) for item in cut.files for hunk in item.hunks)) == (True, 2)
    assert cut.stats == result.stats
    exact = run(ledgered, Request("task-10@1", hunks=True, hunk_lines=sum(map(len, lines.values()))))
    assert (exact.truncated, exact.files) == (False, result.files)


def test_names_with_newline_quotes_and_bytes_that_are_no_utf8_come_through(
    ledgered: Workspace, mark: Make, git: Make, repo: Path
) -> None:
    mark(9, 1)
    odd = ["a\nb", 'say "x"', "tab\there", os.fsdecode(b"caf\xe9"), "-o", ":(top)x", "käse"]
    for name in odd:
        (repo / name).write_text("x\n")
    commit(git)
    mark(10, 1)
    assert set(table(run(ledgered, Request("task-10@1", hunks=True)))) == set(odd)
    call = [sys.executable, "-m", "devs_git", "diff", "task-10@1"]
    shown = json.loads(subprocess.run([*call, "--json"], cwd=repo, capture_output=True, check=True).stdout)
    assert {item["path"] for item in shown["files"]} == set(odd)
    assert shown["from"] == git("rev-parse", "HEAD^")
    text = subprocess.run([*call, "--stat"], cwd=repo, capture_output=True, check=True, text=True).stdout
    assert '"a\\nb"' in text
    assert '"caf\\351"' in text


def test_a_binary_file_counts_no_lines(ledgered: Workspace, mark: Make, git: Make, repo: Path) -> None:
    mark(9, 1)
    (repo / "x.bin").write_bytes(b"\0\1\2" * 99)
    commit(git)
    mark(10, 1)
    (item,) = run(ledgered, Request("task-10@1", hunks=True)).files
    assert (item.action, item.additions, item.deletions, item.binary, item.hunks) == ("added", 0, 0, True, ())


def test_no_program_of_the_repository_is_run(ledgered: Workspace, mark: Make, git: Make, repo: Path) -> None:
    trap = repo.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repo.parent}/sprung\n")
    trap.chmod(0o755)
    for key in ("diff.external", "diff.x.command", "diff.x.textconv", "core.fsmonitor", "core.pager"):
        git("config", key, str(trap))
    (repo / ".gitattributes").write_text("* diff=x\n")
    git("-c", "core.fsmonitor=false", "add", "-A")
    git("-c", "core.fsmonitor=false", "commit", "-qm", "x")
    mark(10, 1)
    (repo.parent / "sprung").unlink(missing_ok=True)
    assert run(ledgered, Request("task-10@1", hunks=True)).files[0].hunks
    assert not (repo.parent / "sprung").exists()


def test_an_object_that_is_missing_is_told_without_a_trace(
    ledgered: Workspace, mark: Make, git: Make, repo: Path
) -> None:
    mark(10, 1)
    tree = git("rev-parse", "HEAD^{tree}")
    (repo / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(DevsError, match="missing") as caught:
        run(ledgered, Request("task-10@1"))
    assert caught.value.code == "CONFLICT"


@pytest.mark.quick
def test_without_a_target_head_is_compared_with_the_working_tree(repo: Path, git: Make) -> None:
    (repo / "a.txt").write_text("line 1\nline 2\nchanged\n")
    (repo / "f1.txt").unlink()
    (repo / "staged.txt").write_text("s\n")
    git("add", "staged.txt")
    (repo / "intended.txt").write_text("i\ni\n")
    git("add", "-N", "intended.txt")
    (repo / "untracked.txt").write_text("u\n")
    os.utime(repo / "f2.txt", (1, 1))
    result = run(Workspace.open(repo), Request(hunks=True))
    assert table(result) == {
        "a.txt": ("modified", 1, 1),
        "f1.txt": ("deleted", 0, 1),
        "intended.txt": ("added", 2, 0),
        "staged.txt": ("added", 1, 0),
    }
    assert (result.from_, result.to, result.from_name) == (git("rev-parse", "HEAD"), "", "HEAD")
    assert [item.hunks[0].lines[-1] for item in result.files] == ["+changed", "-1", "+i", "+s"]
    older = run(Workspace.open(repo), Request(against="HEAD~2"))
    assert table(older)["f3.txt"] == ("added", 1, 0)


def test_the_working_tree_is_compared_by_our_settings_and_no_program_of_the_repository_runs(
    repo: Path, git: Make, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    for name in ("diff.x.command", "diff.x.textconv", "core.fsmonitor", "diff.external", "core.pager"):
        git("config", name, f"touch {ran}; cat")
    for setting in ("noprefix=true", "relative=true", "suppressBlankEmpty=true", "context=0", "color=always"):
        git("config", "diff." + setting.partition("=")[0], setting.partition("=")[2])
    git("config", "color.ui", "always")
    (repo / ".gitattributes").write_text("*.txt diff=x\n")
    (repo / "sub").mkdir()
    (repo / "a.txt").write_text("line 1\nline 2\n\nline 3\n")
    result = run(Workspace.open(repo / "sub"), Request(hunks=True))
    assert [item.hunks[0].lines for item in result.files] == [(" line 1", " line 2", "+", " line 3")]
    assert not ran.exists()


def test_a_conflict_is_one_file_and_the_others_keep_their_hunks(repo: Path, git: Make) -> None:
    git("switch", "-qc", "side")
    (repo / "a.txt").write_text("theirs\n")
    git("commit", "-qam", "theirs")
    git("switch", "-q", "main")
    (repo / "a.txt").write_text("ours\n")
    git("commit", "-qam", "ours")
    subprocess.run(["git", "merge", "-q", "side"], cwd=repo, check=False, capture_output=True)
    (repo / "f1.txt").write_text("after\n")
    result = run(Workspace.open(repo), Request(hunks=True))
    assert [item.path for item in result.files] == ["a.txt", "f1.txt"]
    assert result.files[1].hunks[0].lines == ("-1", "+after")


def test_before_the_first_commit_everything_staged_is_new(tmp_path: Path, git: Make) -> None:
    git("init", "-q", str(tmp_path / "new"))
    (tmp_path / "new" / "x").write_text("x\n")
    git("add", "x", where=tmp_path / "new")
    result = run(Workspace.open(tmp_path / "new"), Request())
    assert (table(result), result.from_) == ({"x": ("added", 1, 0)}, EMPTY_TREE)


def test_a_file_whose_time_alone_is_new_is_no_change_and_the_index_stays_as_it_is(repo: Path) -> None:
    for name in ("a.txt", "f1.txt"):
        os.utime(repo / name, (1, 1))
    (repo / "f2.txt").write_text("other\n")
    hook = repo / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {repo.parent}/sprung\n")
    hook.chmod(0o755)
    index = (repo / ".git" / "index").read_bytes()
    (item,) = run(Workspace.open(repo), Request(hunks=True)).files
    assert (item.path, item.hunks[0].lines) == ("f2.txt", ("-2", "+other"))
    assert (repo / ".git" / "index").read_bytes() == index
    assert not (repo.parent / "sprung").exists()


def test_what_a_partial_clone_has_not_got_is_not_fetched_and_starts_no_program(
    initialised: Path, git: Make
) -> None:
    call("task start", initialised, task_start.Request("1"))
    (initialised / "new.txt").write_text("new\n")
    made = call("task complete", initialised, task_complete.Request(everything=True))
    trap = initialised.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {initialised.parent}/sprung\n")
    trap.chmod(0o755)
    for key, value in (("url", "ssh://localhost/x"), ("promisor", "true")):
        git("config", f"remote.origin.{key}", value)
    git("config", "core.sshCommand", str(trap))
    blob = git("rev-parse", f"{made.commit}:new.txt")
    (initialised / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for request in (Request("task-1", hunks=True), Request(hunks=True)):
        (initialised / "new.txt").write_text("changed\n")
        with pytest.raises(DevsError, match="partial clone") as caught:
            call("diff", initialised, request)
        assert "git diff --stat" in caught.value.hint
    assert not (initialised.parent / "sprung").exists()
