"""Whether a tool may run while a gate is open; decided from its name and input alone."""

from __future__ import annotations

import re
import shlex
from typing import Any, Final

from devs_git.domain.dialects.dialect import Dialect

# What makes of one command several, or runs another within it; and what ends a line.
_MORE_THAN_ONE: Final = re.compile(r"[;&|<>$()`\n\r\0]")
_OWN: Final = (("devs-git",), ("git", "devs"))


def may_run(dialect: Dialect, tool: str, tool_input: Any) -> bool:
    """Reading may; our own MCP tools and a shell that calls us once may, for there our guard decides. Nothing else."""
    if tool in dialect.reading or tool.startswith(dialect.ours):
        return True
    if tool not in dialect.shells or not isinstance(tool_input, dict):
        return False
    return is_own_call(tool_input.get("command"))


def is_own_call(command: Any) -> bool:
    """Whether a shell command is one single call of `devs-git` or `git devs`."""
    if not isinstance(command, str) or _MORE_THAN_ONE.search(command):
        return False
    try:
        words = tuple(shlex.split(command, posix=True))
    except ValueError:  # a quote that nobody closes
        return False
    return any(words[: len(own)] == own and len(words) > len(own) for own in _OWN)
