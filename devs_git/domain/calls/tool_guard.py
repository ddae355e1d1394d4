"""Whether a tool may run while a gate is open, and whether it only shows stored data, by its name and input."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.calls.own_tools import READING, own_tool

if TYPE_CHECKING:
    from devs_git.domain.clients.client import Client

# Characters that join several commands, run one inside another, or end a line.
_MORE_THAN_ONE: Final = re.compile(r"[;&|<>$()`\n\r\0]")
_OWN: Final = (("devs-git",), ("git", "devs"))
_SHOW_VERBS: Final = {("trace", verb) for verb in ("get", "list", "search", "export")} | {
    ("conversation", "show")
}


def may_run(client: Client, tool: str, tool_input: Any) -> bool:
    """Whether the tool only reads, or is our own MCP tool, or a shell with one call of devs-git: there the router decides.

    A shell may also run one simple command that only reads.
    """
    if tool in client.reading or tool in client.seen or own_tool(client, tool):
        return True
    if tool not in client.shells or not isinstance(tool_input, dict):
        return False
    # Imported here, because the git hook that reads a transcript needs it not.
    from devs_git.domain.calls import reading_commands

    return is_own_call(tool_input.get("command")) or reading_commands.only_reads(tool_input)


def git_folders(client: Client, tool: str, tool_input: Any, folder: str) -> tuple[str, ...]:
    """The folders in which a call that may run could start git: the client's, and those that the call names.

    Empty if the call starts no git.
    """
    if tool not in client.shells:
        return ()
    from devs_git.domain.calls import reading_commands
    from devs_git.domain.clients.client import FOLDERS

    if not is_own_call(tool_input.get("command")) and not reading_commands.is_git(tool_input):
        return ()
    given = [tool_input.get(name) for name in FOLDERS]
    return (folder, *(name for name in given if name and isinstance(name, str)))


def is_own_call(command: Any) -> bool:
    """Whether a shell command is one single call of `devs-git` or `git devs`."""
    return isinstance(command, str) and not _MORE_THAN_ONE.search(command) and _own_words(command) is not None


def reads_back(client: Client, tool: str, tool_input: Any) -> bool:
    """Whether a tool only shows what is stored, or what a dry run would do. Such a call is not stored again (a pipe may follow).

    Of our MCP tools these are all whose verb has tier 0.
    """
    given = tool_input if isinstance(tool_input, dict) else {}
    if own := own_tool(client, tool):
        return own in READING or given.get("dry_run") is True
    # Transcripts of Codex have `cmd`.
    command = given.get("command", given.get("cmd"))
    if tool not in client.shells or not isinstance(command, str) or "devs" not in command:
        return False
    first = command.partition("|")[0]
    words = None if _MORE_THAN_ONE.search(first) else _own_words(first)
    return words is not None and (words[:2] in _SHOW_VERBS or "--dry-run" in words)


def _own_words(command: str) -> tuple[str, ...] | None:
    """The arguments of a command for devs-git; None for another command."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        # A quote without its end.
        return None
    return next((words[len(own) :] for own in _OWN if words[: len(own)] == own), None)
