"""Codex, as https://developers.openai.com/codex/hooks and the schemas in openai/codex (codex-rs/hooks/schema) tell it.

It has no event of its own for a tool that failed, runs hooks in the user's login shell ($SHELL, maybe fish), and reads
hooks.json as strict JSON.
"""

from __future__ import annotations

import re
from typing import Any, Final

from devs_git.domain.clients.dialects.dialect import SERVER, Dialect

_EXIT: Final = re.compile(r"\s*(?:Process exited with code|Exit code:?) (\d+)", re.IGNORECASE)


def failed(response: Any) -> bool:
    """Whether the tool's answer tells of an exit status other than 0; a plain text does not say."""
    if isinstance(response, str):
        found = _EXIT.match(response)
        return bool(found and int(found[1]))
    if not isinstance(response, dict):
        return False
    told = response.get("metadata")
    status = response.get("exit_code", told.get("exit_code") if isinstance(told, dict) else 0)
    return status not in (0, None) or response.get("success") is False or response.get("isError") is True


CODEX: Final = Dialect(
    name="codex",
    title="Codex",
    hooks_file=".codex/hooks.json",
    server_file=".codex/config.toml",
    before="PreToolUse",
    after={"PostToolUse": False},
    session=("Stop", "SessionEnd", "PreCompact"),
    reading=frozenset(
        {
            "grep_files",
            "list_dir",
            "list_mcp_resource_templates",
            "list_mcp_resources",
            "read_file",
            "read_mcp_resource",
            "update_plan",
            "view_image",
            "web_search",
        }
    ),
    shells=frozenset({"Bash", "exec_command", "local_shell", "shell", "shell_command"}),
    # Some of its versions write the server's name without what is no letter, digit or underscore.
    ours=(f"mcp__{SERVER}__", f"mcp__{SERVER.replace('-', '_')}__"),
    own_shell=True,
    failed=failed,
    notes=("Codex runs a project's hooks only once they are trusted: start it here and say /hooks.",),
)
