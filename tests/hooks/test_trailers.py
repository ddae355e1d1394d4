"""Trailers of commits, as real git makes them through the installed hooks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.trailers import Commit, Run, block, ledger_trailer, message_of


@pytest.mark.quick
def test_a_message_gets_a_paragraph_of_trailers(tip: str, git: Run, commit: Commit) -> None:
    assert commit("-m", "fix: dates", "-m", "They were wrong.") == 0
    assert message_of(git) == f"fix: dates\n\nThey were wrong.\n\n{block(tip)}"
    shown = git("log", "-1", "--format=%(trailers:key=Devs-Task,valueonly)")
    assert shown == "task-10"


@pytest.mark.parametrize("verify", ["--verify", "--no-verify"])
def test_without_an_active_task_a_message_names_the_ledger_alone(
    tip: str, verify: str, git: Run, commit: Commit, workspace: Workspace
) -> None:
    active_task.write(workspace.places, "")
    commit(verify, "-m", "plain")
    assert message_of(git) == f"plain\n\n{ledger_trailer(tip)}"
    commit(verify, "-m", "two paragraphs", "-m", "Fixes: 7")
    assert message_of(git) == f"two paragraphs\n\nFixes: 7\n{ledger_trailer(tip)}"
    commit(verify, "-m", "fix: dates", "-m", "They were wrong.")
    assert message_of(git) == f"fix: dates\n\nThey were wrong.\n\n{ledger_trailer(tip)}"
    commit(verify, "--amend", "--no-edit")
    assert message_of(git) == f"fix: dates\n\nThey were wrong.\n\n{ledger_trailer(tip)}"
    assert commit(verify, editor="true") != 0


def test_a_message_written_in_the_editor_without_a_task_names_the_ledger(
    tip: str, git: Run, commit: Commit, workspace: Workspace
) -> None:
    active_task.write(workspace.places, "")
    assert commit(editor="sed -i 1s/^/written/") == 0
    assert message_of(git) == f"written\n\n{ledger_trailer(tip)}"


@pytest.mark.parametrize("option", ["-q", "-v"])
def test_a_message_written_in_the_editor_gets_them_too(
    tip: str, git: Run, commit: Commit, option: str
) -> None:
    assert commit(option, editor="sed -i 1s/^/written/") == 0
    assert message_of(git) == f"written\n\n{block(tip)}"


def test_commit_v_keeps_its_diff_out_of_the_message(tip: str, git: Run, commit: Commit) -> None:
    assert commit("-v", "-m", "seen", "-e", editor="true") == 0
    assert message_of(git) == f"seen\n\n{block(tip)}"


@pytest.mark.parametrize("args", [("-q",), ("-s",), ("-v",), ("-m", "", "-e"), ("--cleanup=scissors",)])
@pytest.mark.usefixtures("tip")
def test_an_empty_message_still_makes_git_abort(git: Run, commit: Commit, args: tuple[str, ...]) -> None:
    assert commit(*args, editor="true") != 0
    assert message_of(git) == "c3"


def test_a_template_that_nobody_edited_still_makes_git_abort(
    tip: str, git: Run, commit: Commit, tmp_path: Path
) -> None:
    (tmp_path / "template").write_text("What:\n\nWhy?\n")
    git("config", "commit.template", str(tmp_path / "template"))
    assert commit(editor="true") != 0
    assert commit(editor="sed -i 's/^What:/&dates/'") == 0
    assert message_of(git) == f"What:dates\n\nWhy?\n\n{block(tip)}"
    assert commit("-m", "without it") == 0
    assert message_of(git) == f"without it\n\n{block(tip)}"


def test_a_merge_message_without_a_final_newline_is_not_glued(tip: str, git: Run, commit: Commit) -> None:
    git("checkout", "-qb", "side", "HEAD~1")
    (Path("side.txt")).write_text("side\n")
    git("add", "side.txt")
    commit("-m", "side", change=False)
    git("checkout", "-q", "main")
    git("merge", "--no-edit", "side")
    assert message_of(git) == f"Merge branch 'side'\n\n{block(tip)}"


def test_a_repository_with_its_own_trailer_settings_keeps_them(
    tip: str, git: Run, commit: Commit, tmp_path: Path
) -> None:
    git("config", "trailer.separators", "#=")
    git("config", "trailer.ifexists", "replace")
    git("config", "trailer.where", "start")
    git("config", "trailer.sign.command", f"touch {tmp_path}/ran; echo added")
    assert commit("-m", "one", "-m", "Bug #42\nFixes= 7") == 0
    assert message_of(git) == f"one\n\nBug #42\nFixes= 7\n{block(tip)}"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("char", [";", "auto"])
def test_a_repository_with_its_own_comment_character(char: str, tip: str, git: Run, commit: Commit) -> None:
    git("config", "core.commentChar", char)
    assert commit("-v", editor="sed -i '1s/^/written/'") == 0
    assert message_of(git) == f"written\n\n{block(tip)}"
    assert commit("-v", editor="true") != 0
    assert commit("-v", "-m", "#12 is text", "-e", editor="true") == 0
    assert message_of(git) == f"#12 is text\n\n{block(tip)}"


def test_a_line_that_begins_like_a_comment_is_text_where_no_editor_opens(
    tip: str, git: Run, commit: Commit
) -> None:
    assert commit("-m", "#123 is fixed", "-m", "# Why") == 0
    assert message_of(git) == f"#123 is fixed\n\n# Why\n\n{block(tip)}"


def test_a_message_from_a_file_without_a_final_newline(
    tip: str, git: Run, commit: Commit, tmp_path: Path
) -> None:
    (tmp_path / "message").write_bytes(b"from a file \xff\n\nFixes: 7")
    git("config", "i18n.commitEncoding", "ISO-8859-1")
    assert commit("-F", str(tmp_path / "message")) == 0
    git("config", "--unset", "i18n.commitEncoding")
    raw = subprocess.run(["git", "cat-file", "commit", "HEAD"], capture_output=True, check=True).stdout
    assert raw.partition(b"\n\n")[2] == b"from a file \xff\n\nFixes: 7\n" + block(tip).encode() + b"\n"


def test_no_verify_skips_checks_but_not_the_trailers(tip: str, git: Run, commit: Commit) -> None:
    assert commit("-n", "-m", "quick") == 0
    assert message_of(git) == f"quick\n\n{block(tip)}"


@pytest.mark.quick
@pytest.mark.parametrize("verify", ["--verify", "--no-verify"])
@pytest.mark.usefixtures("tip")
def test_commits_are_refused_while_a_journal_of_this_worktree_is_open(
    verify: str, git: Run, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Path(".git/devs/journal/20010203T040506-1a2b3c4d.json")
    entry.parent.mkdir(parents=True)
    entry.write_text(json.dumps({"op_id": entry.stem, "worktree": ".", "kind": "move"}))
    for name in ("", "../../config", "20010203T040506-00000000"):
        monkeypatch.setenv("DEVS_GIT_OP", name)
        assert commit(verify, "-m", "in between") != 0
    assert message_of(git) == "c3"
    monkeypatch.setenv("DEVS_GIT_OP", entry.stem)
    assert commit(verify, "-m", "its own") == 0
    assert message_of(git) == "its own"
    entry.write_text(json.dumps({"op_id": entry.stem, "worktree": "other", "kind": "move"}))
    monkeypatch.delenv("DEVS_GIT_OP")
    assert commit(verify, "-m", "another worktree's") == 0


def test_a_linked_worktree_has_its_own_task(tip: str, git: Run, tmp_path: Path) -> None:
    second = tmp_path / "second"
    git("worktree", "add", "-q", str(second))
    git("commit", "-q", "--allow-empty", "-m", "no task here", where=second)
    assert git("log", "-1", "--format=%B", where=second) == f"no task here\n\n{ledger_trailer(tip)}"
    work = Work("task-11")
    active_task.write(Workspace.open(second).places, work.lines())
    git("commit", "-q", "--allow-empty", "-m", "eleven", where=second)
    assert git("log", "-1", "--format=%B", where=second) == f"eleven\n\n{block(tip, work)}"
    git("commit", "-q", "--allow-empty", "-m", "ten")
    assert message_of(git) == f"ten\n\n{block(tip)}"
