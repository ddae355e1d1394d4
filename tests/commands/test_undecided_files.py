"""Files whose state only a filter of the repository can tell are listed as undecided; the state of all others is shown."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import diff, rewind, status, undo
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import diff_text, log_text, move_text
from devs_git.storage.git.filters import UndecidedFile, configured_filters
from devs_git.storage.git.worktree_status import Changed
from devs_git.workspace import Workspace
from tests.support.scene import Scene

Run = Callable[..., str]
Tasks = Callable[[dict[str, dict[str, str | None]]], Scene]
CLEAN, SMUDGE = "tr a-z A-Z", "tr A-Z a-z"
FILES: dict[str, str | None] = {
    f"{name}.up": f"{name} of old\n" for name in ("kept", "touched", "edited", "longer")
}
UNSURE = ("edited.up", "touched.up")


def run(*words: str) -> None:
    subprocess.run(["git", *words], check=True)


def worked(tasks: Tasks, *where: str) -> Path:
    """Files through a filter of which some were touched or edited, and one is longer; the filter leaves a line."""
    top = tasks({"9": {"plain.txt": "1\n"}, "10": {"plain.txt": "2\n"}}).top
    for key, program in (("clean", CLEAN), ("smudge", SMUDGE)):
        run("config", *where, f"filter.up.{key}", f"echo {key} >>{top.parent}/ran; {program}")
    (top / ".git/info/attributes").write_text("*.up filter=up\n")
    for name, text in FILES.items():
        (top / name).write_text(str(text))
    run("add", *FILES)
    run("commit", "-qm", "through a filter")
    for name in ("kept", "touched"):
        os.utime(top / f"{name}.up", (5, 5))
    run("update-index", "-q", "--refresh")
    os.utime(top / "touched.up", (6, 6))
    (top / "edited.up").write_text("EDITED of old\n")  # the same through the filter
    (top / "longer.up").write_text("longer of old, and more\n")
    (top.parent / "ran").unlink()
    return top


def asked(verb: str, request: VerbRequest) -> object:
    return router.call(verb, Workspace.open(), request)


@pytest.mark.quick
def test_status_says_of_which_files_only_the_filter_could_tell(tasks: Tasks) -> None:
    top = worked(tasks)
    found = asked("status", status.Request())
    assert isinstance(found, status.Result)
    assert found.unstaged == (Changed("longer.up", "modified"),)
    assert found.not_told == tuple(UndecidedFile(path, "up") for path in UNSURE)
    assert not (top.parent / "ran").exists()
    assert (
        "Unknown whether these changed: only the filter 'up' of this repository shows that (2):"
        in log_text.status_text(found)
    )
    (top / "longer.up").write_text("longer of old\n")
    found = asked("status", status.Request())
    assert isinstance(found, status.Result)
    assert (found.clean, sum(vars(found.counts).values()) if vars(found.counts) else 0) == (False, 0)


def test_the_working_tree_is_compared_without_what_a_filter_would_have_to_read(tasks: Tasks) -> None:
    top = worked(tasks)
    (top / "plain.txt").write_text("3\n")
    found = asked("diff", diff.Request(hunks=True))
    assert isinstance(found, diff.Result)
    assert [(file.path, len(file.hunks)) for file in found.files] == [("plain.txt", 1)]
    assert (found.stats.files_changed, found.stats.insertions) == (1, 1)
    assert [one.path for one in found.not_told] == ["edited.up", "longer.up", "touched.up"]
    assert not (top.parent / "ran").exists()
    assert "longer.up" in diff_text.figures_text(found)


def test_a_plan_that_could_not_tell_is_carried_out_as_it_was_made(tasks: Tasks) -> None:
    top = worked(tasks)
    (top / "longer.up").write_text("longer of old\n")
    plan = asked("rewind", rewind.Request("9", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert plan.not_told == tuple(
        UndecidedFile(path, "up") for path in ("edited.up", "longer.up", "touched.up")
    )
    assert plan.blocked_by == ()
    assert not (top.parent / "ran").exists()
    assert "whether 3 files changed, such as edited.up: only the filter 'up'" in move_text.rewind_plan_text(
        plan
    )
    done = asked("rewind", rewind.Request("9", plan_id=plan.plan_id))
    assert isinstance(done, rewind.Result)
    assert (top.parent / "ran").exists()
    (top.parent / "ran").unlink()
    assert not (top / "kept.up").exists()
    (top / "touched.up").write_text("mine\n")
    back = asked("undo", undo.Request(dry_run=True))
    assert isinstance(back, undo.Result)
    assert not (top.parent / "ran").exists()
    assert {error["code"] for error in back.blocked_by} == {"GIT_RESET_FAILED"}


def test_a_plan_goes_stale_when_such_a_file_is_edited(tasks: Tasks) -> None:
    top = worked(tasks)
    plan = asked("rewind", rewind.Request("9", dry_run=True))
    (top / "edited.up").write_text("edited oF old\n")
    again = asked("rewind", rewind.Request("9", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert isinstance(again, rewind.Plan)
    assert plan.plan_id != again.plan_id


def test_a_filter_of_the_users_own_configuration_is_started(tasks: Tasks) -> None:
    top = worked(tasks, "--global")
    found = asked("status", status.Request())
    assert isinstance(found, status.Result)
    assert (found.unstaged, found.not_told) == ((Changed("longer.up", "modified"),), ())
    assert (top.parent / "ran").exists()


ODD = ["up", "a.b", "a=b", "a b", 'a"b', "ä", "UP", "-x"]


@pytest.mark.parametrize("name", ODD)
def test_the_filters_that_the_repository_names_are_known_by_their_names(
    name: str, workspace: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert configured_filters(workspace.git) == ()
    git("config", "--global", f"filter.{name}.clean", "theirs")
    git("config", f"filter.{name}.required", "true")
    assert configured_filters(workspace.git) == ()
    git("config", f"filter.{name}.smudge", "false")
    assert configured_filters(workspace.git) == (name,)
    for at, (key, value) in enumerate({"KEY": "user.name", "VALUE": "caller"}.items()):
        monkeypatch.setenv(f"GIT_CONFIG_{key}_0", value)
        monkeypatch.setenv("GIT_CONFIG_COUNT", str(at))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    reading = Workspace(workspace.places, offline=True).git
    assert reading.text("config", "user.name") == "caller"
    assert reading.text("config", f"filter.{name}.smudge", ok=(0, 1)) == ""
    assert reading.text("config", f"filter.{name}.required") == "false"


def test_an_included_file_and_a_worktrees_own_configuration_name_filters_too(
    workspace: Workspace, git: Run, tmp_path: Path
) -> None:
    (tmp_path / "more").write_text('[filter "x"]\n\tprocess = false\n')
    git("config", "include.path", str(tmp_path / "more"))
    assert configured_filters(workspace.git) == ("x",)
    git("config", "--unset", "include.path")
    git("config", "extensions.worktreeConfig", "true")
    git("config", "--worktree", "filter.y.clean", "false")
    assert configured_filters(workspace.git) == ("y",)
    git("worktree", "add", "-q", str(tmp_path / "beside"))
    git("config", "--worktree", "--unset", "filter.y.clean", where=tmp_path / "beside")  # newer gits copy it
    assert configured_filters(Workspace.open(tmp_path / "beside").git) == ()
    git("config", "--worktree", "filter.z.clean", "false", where=tmp_path / "beside")
    assert configured_filters(Workspace.open(tmp_path / "beside").git) == ("z",)
