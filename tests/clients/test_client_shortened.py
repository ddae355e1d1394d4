"""What the model is told of a long output, if the policy says `recording: {shorten: true}`."""

from __future__ import annotations

import json

import pytest

from devs_git.domain.recall import handed_on
from devs_git.workspace import Workspace
from tests.clients.workbench import Workbench
from tests.support.ledgers import in_force

pytestmark = pytest.mark.thorough

WHOLE = "".join(f"{number}\n" for number in range(1, 30001))


def test_a_model_sees_a_long_output_shortened_or_is_told_its_id_if_the_policy_says_so(
    workbench: Workbench,
) -> None:
    in_force(Workspace.open(workbench.top), recording={"shorten": True})
    (workbench.top / "long.txt").write_text(WHOLE)
    # OpenCode stops reading when the command ends, so the command waits for it.
    run = workbench.run(
        (workbench.program.shell("cat long.txt; sleep 1"),), (workbench.program.shell("cat a.txt"),)
    )
    traces = workbench.answer("trace", "list")["traces"]
    # The output is stored once, although the transcript has it, too, as the model saw it.
    (long,) = (one for one in traces if one["size"] > handed_on.LONGEST)
    assert not [one for one in traces if 500 < one["size"] < handed_on.LONGEST]
    told = json.dumps(run.asked[-1].body)
    assert f"git devs trace get {long['trace_id']}" in told
    if workbench.program.client == "claude":
        named = handed_on.trace_named(run.results[0])
        assert named
        assert named[:2] == (long["trace_id"], len(WHOLE))
        assert run.results[0].startswith(WHOLE[:4000])
        assert run.results[0].strip().endswith(WHOLE[-3990:].strip())
        assert (long["size"], long["cut_by_client"]) == (len(WHOLE), False)
    else:
        assert handed_on.trace_named(run.results[0]) is None
        assert long["cut_by_client"] == (workbench.program.client == "codex")
    session = run.payloads[0]["session_id"]
    shown = workbench.answer("conversation", "show", "--session", session)["messages"]
    named_first = next(one["trace_id"] for one in shown if one.get("trace_id"))
    assert named_first == long["trace_id"]
