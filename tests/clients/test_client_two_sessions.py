"""Two sessions of a real client in one worktree: which files each of them wrote, and which session a command belongs to."""

from __future__ import annotations

import pytest

from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

# In which variable a client tells a command of its shell the id of the session.
VARIABLES = {"claude": "CLAUDE_CODE_SESSION_ID", "codex": "CODEX_THREAD_ID"}


def committed(bench: Workbench) -> set[str]:
    return set(bench.git("show", "--format=", "--name-only", "HEAD").split())


def test_a_person_commits_the_files_of_the_session_that_was_prompted_last(workbench: Workbench) -> None:
    program = workbench.program
    workbench.devs_git("task", "start", "10")
    first = workbench.run(
        (program.shell("echo A >a1.txt; echo A >both.txt"),),
        (program.write(workbench.top / "edited-a.txt", "A\n"),),
        prompt="Be the first.",
    )
    second = workbench.run(
        (program.shell("echo B >>both.txt; echo B >b1.txt; env"),),
        (program.write(workbench.top / "edited-b.txt", "B\n"),),
        prompt="Be the second.",
    )
    ids = [run.payloads[0]["session_id"] for run in (first, second)]
    told = "".join(second.results)
    name = VARIABLES.get(program.client, "")
    assert f"{name}={ids[1]}" in told if name else not any(one in told for one in VARIABLES.values())
    done = workbench.answer("checkpoint", "--mine", "-m", "by the second")
    assert done["session"] == ids[1]
    assert [(one["path"], one["sessions"]) for one in done["left_out"]] == [("both.txt", [ids[0]])]
    assert committed(workbench) == {"b1.txt", "edited-b.txt"}
    workbench.devs_git("checkpoint", "--mine", "--session", ids[0])
    assert committed(workbench) == {"a1.txt", "edited-a.txt"}


def test_a_tool_of_ours_commits_the_files_of_the_session_that_calls_it(workbench: Workbench) -> None:
    program = workbench.program
    workbench.devs_git("task", "start", "10")
    (workbench.top / "b1.txt").write_text("a person's\n")
    workbench.run(
        (program.shell("echo A >a1.txt"),),
        (program.own("create_checkpoint", message="mine", mine=True),),
    )
    assert committed(workbench) == {"a1.txt"}
