"""`why` as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.entrypoints.cli.texts.render import path, short, table, when
from devs_git.entrypoints.console import exact, paint

if TYPE_CHECKING:
    from devs_git.commands.why import Result, WhyMessage

_FOUND: dict[str, str] = {
    "checkpoint": "the commit is its checkpoint",
    "trailer": "the commit names it",
    "tree": "a checkpoint has the same files",
    "patch": "a checkpoint has the same change",
    "squash": "its commits together have the same change",
}
_WIDTH = 400  # characters of a message


def why_text(result: Result) -> str:
    """The line, and then one row for each thing that is known."""
    head = f"{path(result.path)}:{result.line}: {exact(result.text.strip())}"
    if not result.commit:
        return f"{head}\nThis line is not committed yet."
    rows = [("commit", f"{short(result.commit)} {result.summary} ({result.author})")]
    if result.task_id:
        name = paint(result.checkpoint or result.task_id, bold=True)
        rows.append(("task", f"{name} {result.title} ({_FOUND.get(result.found_by, '')})".replace("  ", " ")))
    else:
        rows.append(("task", "none is known"))
    rows += [("prompt", _cite(result.message, result.message.content))] if result.message else []
    rows += [("written by", _cite(result.call, ", ".join(result.call.tools)))] if result.call else []
    if result.gate:
        gate = result.gate
        rows.append(("gate", f"{gate.gate_id} approved by {gate.reviewer}: {gate.blocker_description}"))
    return f"{head}\n{table(rows)}"


def _cite(message: WhyMessage, words: str) -> str:
    """The words in one line, and where they stand."""
    place = f"message {message.message_id} of session {message.session_id}"
    return f"{' '.join(words.split())[:_WIDTH]} ({when(message.created_at)}, {place})"
