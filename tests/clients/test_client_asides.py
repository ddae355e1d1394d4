"""What happens beside a conversation of Claude Code: a subagent, a command in the background, commands of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from tests.clients.asides_run import INNER, KIND, PROMPT, TEXT, Asides
from tests.clients.claude_code import ClaudeCode
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def asides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asides]:
    with Workbench(ClaudeCode(), tmp_path_factory.mktemp("asides")) as bench:
        yield Asides(bench)


def test_a_call_of_a_subagent_is_stored_whole_and_names_its_kind(asides: Asides) -> None:
    agents = [(one["agent"], one["tool_name"]) for one in asides.traces[::-1] if one["client"]]
    others = ["Agent", "Bash", "Read", "Bash"]
    assert agents == [(KIND, "Bash"), *(("", name) for name in others)]
    whole = asides.bench.devs_git("trace", "get", asides.inner["trace_id"])
    assert whole == "".join(f"{number}\n" for number in range(1, int(INNER.split()[-1]) + 1))


def test_the_transcript_of_a_subagent_is_a_session_within_the_session(asides: Asides) -> None:
    (told,) = asides.run.payloads_of("SubagentStop")
    messages = asides.messages(f"{asides.session}/{told['agent_id']}")
    assert [one["role"] for one in messages] == ["system", "assistant", "tool", "assistant"]
    assert messages[2]["trace_id"] == asides.inner["trace_id"]
    assert {one["session_id"] for one in asides.traces if one["client"]} == {asides.session}


def test_the_user_said_only_what_he_typed(asides: Asides) -> None:
    said = [one["content"] for one in asides.messages() if one["role"] == "user"]
    assert said == [PROMPT]
    system = "\n".join(one["content"] for one in asides.messages() if one["role"] == "system")
    assert "<command-name>/greet</command-name>" in system
    assert "<local-command-stdout>" in system


def test_what_a_command_in_the_background_printed_is_stored_when_it_ended(asides: Asides) -> None:
    started = next(one for one in asides.traces if one["is_error"])
    assert "backgroundTaskId" in asides.bench.devs_git("trace", "get", started["trace_id"], "--payload")
    whole = asides.bench.devs_git("trace", "get", started["trace_id"])
    # The client itself writes the last line into its file.
    printed = "".join(f"{number}\n" for number in range(1, 9001))
    assert whole == f"{printed}\n[exited with code 3]\n"
    assert (started["cut_by_client"], started["is_error"]) == (False, True)


def test_a_long_answer_of_an_mcp_tool_is_in_a_file_that_the_client_names(asides: Asides) -> None:
    """Of this tool of ours nothing is stored, so only the form of the payload is looked at."""
    payloads = {one["tool_name"]: one for one in asides.run.payloads_of("PostToolUse")}
    found = CLIENTS["claude"].cut(payloads["mcp__devs-git__get_task_trace"])
    assert found is not None
    assert found.characters == len(Path(found.path).read_text())
    assert json.loads(Path(found.path).read_text())["fullOutput"] == TEXT
    assert Path(found.path).parent == asides.transcript.with_suffix("") / "tool-results"


def test_a_part_of_a_long_file_is_stored_as_a_part(asides: Asides) -> None:
    (part,) = (one for one in asides.traces if one["tool_name"] == "Read")
    text = asides.bench.devs_git("trace", "get", part["trace_id"])
    assert (TEXT.startswith(text), part["cut_by_client"]) == (True, True)


def test_the_bytes_of_a_short_output_are_those_that_the_page_of_traces_says(asides: Asides) -> None:
    """Standard error is joined; lines at both ends are gone, and what is not UTF-8 is another character."""
    last = asides.bench.devs_git("trace", "get", asides.traces[0]["trace_id"])
    assert last == "a\ufffdb\n\nto standard error"
