"""What Claude Code writes in the user's place into a transcript: its own commands, and notices of tasks in the background.

Such a line has the type `user`, as a line has that a person typed. Some have a mark; the others begin with a tag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.clients.transcript_lines import EndedTask
from devs_git.domain.recall.conversation import Role

# A summary, a reminder, a prompt of another agent.
_MARKS: Final = ("isMeta", "isCompactSummary", "isSidechain")
# Seen in 2.1.330: a command that the client runs itself, what such a command printed, and a task that ended.
_TAGS: Final = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
)
_NOTICE: Final = re.compile(
    r"<task-notification>\n<task-id>([^<>\n]+)</task-id>\n<tool-use-id>([^<>\n]+)</tool-use-id>\n"
    r"<output-file>([^<>\n]+)</output-file>\n<status>([a-z]+)</status>\n"
)


def speaker(line: Mapping[str, Any], said: str) -> Role:
    """Who said the text of a user's line: the user, or the system if the client or another agent wrote it."""
    if any(line.get(name) is True for name in _MARKS):
        return "system"
    return "system" if said.lstrip().startswith(_TAGS) else "user"


def with_queued_prompt(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line of what a person typed while the model worked, in the form of each other line of a user. Other lines as they are.

    The model is told it with the next results of its tools, so the client writes no line of the type `user`.
    """
    told = line.get("attachment")
    if not isinstance(told, dict) or told.get("type") != "queued_command":
        return line
    prompt, origin = told.get("prompt"), told.get("origin")
    if line.get("type") != "attachment" or not isinstance(prompt, str | list):
        return line
    others = isinstance(origin, dict) and origin.get("kind") not in (None, "human")
    mark = {"isMeta": True} if others or told.get("isMeta") is True else {}
    return {**line, "type": "user", "message": {"role": "user", "content": prompt}, **mark}


def ended_task(line: Mapping[str, Any]) -> EndedTask | None:
    """The command whose end a line tells; None for another line. A notice is written when it enters the queue of prompts."""
    notice = line.get("content")
    if (
        line.get("type") != "queue-operation"
        or line.get("operation") != "enqueue"
        or not isinstance(notice, str)
    ):
        return None
    found = _NOTICE.match(notice)
    return EndedTask(found[2], found[1], found[3], is_error=found[4] != "completed") if found else None
