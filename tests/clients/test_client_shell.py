"""What a client's shell does to git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.gemini import Gemini
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

GEMINI = Gemini()
COMMIT = "git -c user.name=Ada -c user.email=a@b.c commit --allow-empty"


def test_git_runs_no_hook_in_the_shell_of_gemini_cli_and_reads_no_configuration_of_the_user(
    tmp_path: Path,
) -> None:
    """A commit there names no task, and our hook of the client records the checkpoints. Our own commands and tools do their work."""
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(GEMINI, folder) as bench:
        bench.devs_git("task", "start", "10")
        run = bench.run(
            (GEMINI.shell("git commit --allow-empty -m first"),),
            (GEMINI.shell(f"{COMMIT} -qm second && {COMMIT} -qm 'second again'"),),
            (GEMINI.shell("echo more >>a.txt; devs-git task complete 10 --all -m third"),),
            (GEMINI.own("start_task", task_id="11"),),
            (GEMINI.write(bench.top / "new.txt", "hello\n"),),
            (GEMINI.own("commit_task", task_id="11", message="fourth"),),
        )
        assert "Author identity unknown" in run.results[0]
        told = bench.git("log", "--reverse", "--format=%an/%s/%(trailers:key=Devs-Task,valueonly,separator=)")
        assert told.splitlines()[1:] == [
            "Ada/second/",
            "Ada/second again/",
            "devs-git/third/task-10",
            "Ada/fourth/task-11",
        ]
        points = [(one["task_id"], one["message"]) for one in bench.answer("log")["checkpoints"]]
        assert points == [
            ("task-11", "fourth"),
            ("task-10", "third"),
            ("task-10", "second again"),
            ("task-10", "second"),
        ]
