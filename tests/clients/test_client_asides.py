"""What happens beside a conversation of Claude Code: a subagent, a command in the background, commands of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.asides_run import INNER, KIND, PROMPT, Asides
from tests.clients.claude_code import ClaudeCode
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def asides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asides]:
    with Workbench(ClaudeCode(), tmp_path_factory.mktemp("asides")) as bench:
        yield Asides(bench)


def test_a_call_of_a_subagent_is_stored_whole_and_names_its_kind(asides: Asides) -> None:
    agents = [(one["agent"], one["tool_name"]) for one in asides.traces[::-1]]
    assert agents == [(KIND, "Bash"), ("", "Agent"), ("", "Bash"), ("", "Bash")]
    whole = asides.bench.devs_git("trace", "get", asides.traces[-1]["trace_id"])
    assert whole == "".join(f"{number}\n" for number in range(1, int(INNER.split()[-1]) + 1))


def test_the_transcript_of_a_subagent_is_a_session_within_the_session(asides: Asides) -> None:
    (told,) = asides.run.payloads_of("SubagentStop")
    messages = asides.messages(f"{asides.session}/{told['agent_id']}")
    assert [one["role"] for one in messages] == ["system", "assistant", "tool", "assistant"]
    assert messages[2]["trace_id"] == asides.traces[-1]["trace_id"]
    assert {one["session_id"] for one in asides.traces} == {asides.session}


def test_the_user_said_only_what_he_typed(asides: Asides) -> None:
    said = [one["content"] for one in asides.messages() if one["role"] == "user"]
    assert said == [PROMPT]
    system = "\n".join(one["content"] for one in asides.messages() if one["role"] == "system")
    assert "<command-name>/greet</command-name>" in system
    assert "<local-command-stdout>" in system


def test_what_a_command_in_the_background_printed_is_stored_when_it_ended(asides: Asides) -> None:
    started = asides.traces[1]
    assert "backgroundTaskId" in asides.bench.devs_git("trace", "get", started["trace_id"], "--payload")
    whole = asides.bench.devs_git("trace", "get", started["trace_id"])
    # The client itself writes the last line into its file.
    printed = "".join(f"{number}\n" for number in range(1, 9001))
    assert whole == f"{printed}\n[exited with code 3]\n"
    assert (started["cut_by_client"], started["is_error"]) == (False, True)
