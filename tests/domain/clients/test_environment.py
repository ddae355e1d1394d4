"""The environment of a known agent is told from the settings that people keep there."""

from __future__ import annotations

import pytest

from devs_git.domain.clients.environment import sign_of

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "name",
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CURSOR_AGENT",
     "GEMINI_CLI", "OPENCODE", "OPENCODE_CALLER", "AGENT", "AGENT_ID", "AI_AGENT"],
)  # fmt: skip
def test_a_known_agent_shows(name: str) -> None:
    assert sign_of({"PATH": "/bin", name: "1"}) == name


@pytest.mark.parametrize(
    "name",
    ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK", "CODEX_HOME", "GEMINI_API_KEY", "GEMINI_MODEL", "OPENCODE_CONFIG",
     "CURSOR_TRACE_ID", "AI_GATEWAY_API_KEY", "CLAUDE_CODE_SSE_PORT", "SSH_AGENT_PID", "MY_AGENT", "ANTHROPIC_API_KEY"],
)  # fmt: skip
def test_a_setting_of_a_person_does_not(name: str) -> None:
    assert sign_of({name: "1"}) == ""


def test_an_empty_variable_says_nothing() -> None:
    assert sign_of({"CLAUDECODE": "", "AGENT": ""}) == ""
