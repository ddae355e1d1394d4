"""What becomes of outputs that a client cuts before its hooks get them."""

from __future__ import annotations

import pytest

from tests.clients.workbench import Workbench
from tests.support.codex_rollout import MARK, cut_text
from tests.support.cut_outputs import KEPT, SIZE, WHOLE, failure_of

pytestmark = pytest.mark.thorough

# OpenCode stops reading when the command ends, and its own file then lacks the beginning. So the command waits for it.
READ = "sleep 1"


def test_a_long_output_is_stored_whole_where_the_client_keeps_it(workbench: Workbench) -> None:
    program = workbench.program
    run = workbench.run((program.shell(f"seq 1 30000; {READ}"),))
    (told,) = run.payloads_of(program.after)
    response = told["tool_response"]
    shown = [
        one for one in workbench.answer("trace", "list")["traces"] if one["tool_name"] == program.shell_tool
    ]
    sizes = [one["size"] for one in shown]
    # The model is told no id of ours.
    assert shown[0]["trace_id"] not in run.results[0]
    if program.client == "claude":
        # The whole is in a file beside the transcript.
        assert response["stdout"] == KEPT
        assert response["persistedOutputSize"] == SIZE
        assert workbench.devs_git("trace", "get", shown[0]["trace_id"]) == WHOLE
        assert (sizes, shown[0]["cut_by_client"]) == ([SIZE], False)
    elif program.client == "opencode":
        # Our plug-in takes the whole from the file that OpenCode names.
        assert response["metadata"]["truncated"]
        assert run.results[0].startswith("...output truncated...\n\nFull output saved to: ")
        assert workbench.devs_git("trace", "get", shown[0]["trace_id"]) == WHOLE
        assert (sizes, shown[0]["cut_by_client"]) == ([SIZE], False)
    elif program.client == "gemini":
        # The hook gets everything but the newlines at the end; the transcript has what the model was told.
        assert run.results[0].startswith("Output too large. Showing first 8,000 and last 32,000 characters.")
        assert workbench.devs_git("trace", "get", shown[0]["trace_id"]) == WHOLE.rstrip("\n")
        assert (sizes, shown[0]["cut_by_client"]) == ([SIZE - 1], False)
    else:
        # The whole is nowhere. Hooks and the model get 40,000 characters; the transcript has 65,536 bytes.
        assert response == cut_text(WHOLE)
        assert (sizes, shown[0]["cut_by_client"], shown[0]["full_bytes"]) == ([65536], True, None)
        output = workbench.devs_git("trace", "get", shown[0]["trace_id"])
        first, last = output.split(MARK)
        assert WHOLE.startswith(first)
        assert WHOLE.endswith(last)


def test_a_long_output_of_a_failing_command_is_stored_as_far_as_the_client_tells_it(
    workbench: Workbench,
) -> None:
    program = workbench.program
    count = {"claude": 30000, "codex": 12000, "gemini": 30000, "opencode": 30000}[program.client]
    run = workbench.run((program.shell(f"seq 1 {count}; {READ}; exit 3"),))
    if program.client == "claude":
        (told,) = run.payloads_of("PostToolUseFailure")
        assert told["error"] == failure_of(WHOLE)
        assert not {"persistedOutputPath", "tool_response"} & set(told)
        (trace,) = workbench.answer("trace", "list")["traces"]
        assert (trace["size"], trace["cut_by_client"], trace["full_bytes"]) == (10040, True, None)
    elif program.client == "opencode":
        (trace,) = workbench.answer("trace", "list")["traces"]
        assert (trace["size"], trace["cut_by_client"], trace["is_error"]) == (SIZE, False, True)
    elif program.client == "gemini":
        (trace,) = workbench.answer("trace", "list")["traces"]
        assert (trace["size"], trace["cut_by_client"], trace["is_error"]) == (SIZE - 1, False, True)
    else:
        # What is too long for a hook may be whole in the transcript.
        (told,) = run.payloads_of("PostToolUse")
        assert told["tool_response"] == cut_text(WHOLE[:60894])
        (trace,) = workbench.answer("trace", "list")["traces"]
        assert (trace["size"], trace["is_error"], trace["cut_by_client"]) == (60894, True, False)
        assert workbench.devs_git("trace", "get", trace["trace_id"]) == WHOLE[:60894]
