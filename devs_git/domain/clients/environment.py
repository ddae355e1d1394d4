"""Which environment variables show that a known agent runs.

A person can clear a variable, and so can an agent. This only keeps an honest agent from deciding by mistake. The proof of
a person is a signature with a key that the agent cannot use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PREFIXES: Final = ("CLAUDE", "CODEX", "CURSOR", "GEMINI", "OPENCODE", "AGENT", "AI_")

# Settings in the start-up files of people's shells, or of an editor's terminal.
SETTINGS: Final = frozenset(
    {
        "CLAUDE_CODE_SSE_PORT",  # an editor's terminal
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
        "CLAUDE_CODE_SKIP_VERTEX_AUTH",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "CLAUDE_CODE_ENABLE_TELEMETRY",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CURSOR_TRACE_ID",  # an editor's terminal
        "GEMINI_CLI_TRUST_WORKSPACE",
        "OPENCODE_PERMISSION",
        "OPENCODE_DISABLE_AUTOUPDATE",
    }
)
# Endings of names of keys, paths and settings, which do not show that an agent runs.
ENDINGS: Final = (
    "_API_KEY",
    "_KEY",
    "_TOKEN",
    "_SECRET",
    "_HOME",
    "_PATH",
    "_DIR",
    "_CONFIG",
    "_CONFIG_CONTENT",
    "_MODEL",
    "_URL",
    "_BASE_URL",
    "_ENDPOINT",
    "_PROJECT",
    "_REGION",
    "_TIMEOUT",
    "_TIMEOUT_MS",
    "_EDITOR",
    "_THEME",
    "_PROFILE",
)

# In which variables a client tells the commands of its shell the id of the session.
_SESSIONS: Final = {"CLAUDE_CODE_SESSION_ID": "claude", "CODEX_THREAD_ID": "codex"}


def named_sessions_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The sessions that run this command, each with the name of its client. They are several if a client started another one."""
    return {environment[name]: client for name, client in _SESSIONS.items() if environment.get(name)}


def sign_of(environment: Mapping[str, str]) -> str:
    """The first variable (by name) that shows that an agent runs; '' if none does. Empty variables do not count."""
    return next(
        (
            name
            for name in sorted(environment)
            if name.startswith(PREFIXES)
            and environment[name]
            and name not in SETTINGS
            and not name.endswith(ENDINGS)
        ),
        "",
    )
