"""What real clients tell their model of commands that destroy something, and that they refuse one if the policy says so."""

from __future__ import annotations

import pytest

from devs_git.workspace import Workspace
from tests.clients.workbench import Workbench
from tests.support.ledgers import put_policy_in_force

pytestmark = pytest.mark.thorough


def test_the_model_is_told_what_no_moment_holds_and_at_the_next_prompt_what_is_gone(
    workbench: Workbench,
) -> None:
    program, top = workbench.program, workbench.top
    with (top / ".git/info/exclude").open("a") as file:
        file.write("*.large\n*.log\n")
    with (top / "data.large").open("wb") as data:
        data.truncate(65 << 20)
    (top / "debug.log").write_text("ignored\n")
    (top / "new.txt").write_text("a person's\n")
    run = workbench.run((program.shell("git clean -fdxq -e .codex -e .opencode -e .gemini -e .claude"),))
    assert not (top / "data.large").exists()
    told = str([request.body for request in run.asked])
    assert "may destroy what no moment holds, so nothing brings it back: data.large (65 MiB)" in told
    assert "Work is gone" not in told
    session = run.payloads[-1]["session_id"]
    again = workbench.run(prompt="And again.", resume=session)
    told = str([request.body for request in again.asked])
    assert "Work is gone: 1 uncommitted file (new.txt)" in told
    assert "bring it back: devs-git rewind moment:" in told


def test_where_the_net_is_strict_the_client_does_not_run_the_command(workbench: Workbench) -> None:
    program, top = workbench.program, workbench.top
    put_policy_in_force(Workspace.open(top), net="strict")
    with (top / ".git/info/exclude").open("a") as file:
        file.write("*.large\n")
    with (top / "data.large").open("wb") as data:
        data.truncate(65 << 20)
    run = workbench.run((program.shell("rm -f data.large"),))
    assert (top / "data.large").exists()
    assert "refused, because the policy says net: strict" in run.results[0]
    assert not run.payloads_of(program.after)
