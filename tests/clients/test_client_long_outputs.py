"""What becomes of outputs that a client cuts before its hooks get them. Nothing says so yet where a trace is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

WHOLE = "".join(f"{number}\n" for number in range(1, 30001))


def test_a_long_output_is_stored_as_the_client_cut_it(workbench: Workbench) -> None:
    program = workbench.program
    run = workbench.run((program.shell("seq 1 30000"),))
    (told,) = run.payloads_of("PostToolUse")
    response = told["tool_response"]
    sizes = [one["size"] for one in workbench.answer("trace", "list")["traces"] if one["tool_name"] == "Bash"]
    if program.client == "claude":
        # The whole is in a file, which we do not take yet.
        assert response["stdout"] == WHOLE[:30000]
        assert response["persistedOutputSize"] == len(WHOLE)
        assert Path(response["persistedOutputPath"]).read_text() == WHOLE
        assert sizes == [30000]
    else:
        # The whole is nowhere: the transcript has what the model was told.
        assert response.startswith(
            "Warning: truncated output (original token count: 42224)\nTotal output lines: 30000\n"
        )
        assert len(response) == 40107
        assert sizes == [len(response.encode())]


def test_a_long_output_of_a_failing_command_is_stored_as_the_client_cut_it(workbench: Workbench) -> None:
    program = workbench.program
    run = workbench.run((program.shell("seq 1 30000; exit 3"),))
    if program.client == "claude":
        (told,) = run.payloads_of("PostToolUseFailure")
        assert told["error"].startswith("Exit code 3\n1\n2\n")
        assert len(told["error"]) == 10040
        assert not {"persistedOutputPath", "tool_response"} & set(told)
    else:
        (told,) = run.payloads_of("PostToolUse")
        assert len(told["tool_response"]) == 40107
