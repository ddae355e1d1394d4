"""Conversations as text for people."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Final

from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli.texts import next_page
from devs_git.entrypoints.cli.texts.render import blocked_lines, plural, table, when
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    from devs_git.commands import conversation_import, conversation_rewind, conversation_snapshots
    from devs_git.commands.conversation_show import Result
    from devs_git.domain.recall.conversation_snapshots import Snapshot
    from devs_git.operations.recall.session_page import ShownMessage

_COLOURS: Final = {"user": "cyan", "assistant": "green", "system": "bright_black", "tool": "yellow"}
_WIDTH: Final = 80  # characters of a message in a table, and of a call's input in a chat


def chat_text(result: Result) -> str:
    """Each message below a line with its role and time."""
    if not result.messages:
        return _nothing(result)
    return "\n\n".join([*_older_line(result), *_system_line(result), *map(_message, result.messages)])


def _nothing(result: Result) -> str:
    if result.message_count:
        lines = [*_older_line(result), *_system_line(result), "These options leave nothing to show."]
        return "\n".join(lines)
    return "There is no conversation yet. To import one: devs-git conversation import FILE"


def _older_line(result: Result) -> list[str]:
    if not result.next_cursor:
        return []
    more = f"--cursor {result.next_cursor}"
    count = result.messages[0].position - 1 if result.digest and result.messages else 0
    return [paint(f"… {plural(count, 'message') if count else 'more'} before this: {more}", "bright_black")]


def _system_line(result: Result) -> list[str]:
    if not result.system_left_out or result.next_cursor:
        return []
    many = plural(result.system_left_out, "message")
    return [paint(f"… {many} with the client's own instructions: --system", "bright_black")]


def _message(message: ShownMessage) -> str:
    head = [paint(message.role, _COLOURS[message.role], bold=True), when(message.timestamp or "")]
    if message.tool_name:
        head.append(printable(message.tool_name, ""))
    head += [paint("failed", "red")] if message.is_error else []
    head += [paint("rewound", "bright_black")] if message.rewound else []
    lines = ["  ".join(part for part in head if part)]
    lines += [printable(message.content)] if message.content else []
    lines += [f"→ {printable(call.name, '')} {_input(call.input)}" for call in message.tool_calls or ()]
    lines += [printable(message.tool_result)] if message.tool_result else []
    return "\n".join(lines)


def _input(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _cut(text)


def _cut(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def table_text(result: Result) -> str:
    """One line for each message."""
    if not result.messages:
        return _nothing(result)
    rows = [
        (
            str(message.position),
            paint(message.role, _COLOURS[message.role]),
            message.task_id or "-",
            when(message.timestamp or ""),
            _cut(_gist(message)),
        )
        for message in result.messages
    ]
    return "\n".join(
        [
            *_system_line(result),
            table(rows, ("NR", "ROLE", "TASK", "WHEN", "MESSAGE"), leave=("TASK", "WHEN")),
        ]
    )


def _gist(message: ShownMessage) -> str:
    calls = [f"→ {call.name} {_input(call.input)}" for call in message.tool_calls or ()]
    return " ".join(filter(None, [message.content, *calls, message.tool_name, message.tool_result]))


def import_text(result: conversation_import.Result) -> str:
    lines = [
        f"Read {plural(result.new, 'new message')} of {printable(result.session_id, '')}; it has {result.message_count}."
    ]
    if result.rewritten:
        lines.append(
            "The file was rewritten since the last import. The messages that were read before are kept."
        )
    if result.garbage:
        lines.append(f"Left out: {plural(result.garbage, 'line')} that devs-git cannot read.")
    if result.waits:
        lines.append("The last line is incomplete. The next import reads it.")
    return "\n".join(lines)


def rewind_plan_text(plan: conversation_rewind.Result) -> str:
    """The plan of a rewind of a conversation."""
    from devs_git.entrypoints.cli.texts import move_text
    from devs_git.operations.rewind import go_back

    lines = [
        f"Rewind the session {printable(plan.session_id, '')}",
        f"  keeps           {plural(plan.kept_messages, 'message')}, the last is {printable(plan.message_id, '')}",
        f"  takes back      {plural(plan.messages_rewound, 'message')}; they are marked, and nothing is deleted",
    ]
    if isinstance(plan.rewind, go_back.Plan):
        return "\n".join([*lines, move_text.rewind_plan_text(plan.rewind)])
    return "\n".join([*lines, *blocked_lines(plan)])


def rewind_text(result: conversation_rewind.Result) -> str:
    from devs_git.entrypoints.cli.texts import move_text
    from devs_git.operations.rewind import go_back

    taken = plural(result.messages_rewound, "message")
    lines = [
        f"Rewound the session {printable(result.session_id, '')} to message {result.kept_messages}: {taken} taken back."
    ]
    if result.session:
        tokens = plural(result.session.tokens, "token")
        lines.append(f"The new session has {plural(result.session.messages, 'message')}, about {tokens}.")
    lines += [f"Left out: {printable(line, '')}" for line in result.left_out]
    lines.append(f"To go on: {shlex.join(result.start_command)}")
    # The text of a rewind ends with the way back.
    code = result.rewind
    lines.append(
        move_text.rewind_text(code) if isinstance(code, go_back.Result) else "To return: devs-git undo"
    )
    return "\n".join(lines)


def _line(snapshot: Snapshot) -> tuple[str, ...]:
    cost = f"${snapshot.metadata.cost_usd:.2f}" if snapshot.metadata.cost_usd else ""
    tokens = plural(snapshot.metadata.token_count, "token") if snapshot.metadata.token_count else ""
    name = snapshot.checkpoint or snapshot.task_id or "-"
    count = plural(snapshot.message_count, "message")
    snapshot_id = paint(snapshot.snapshot_id, "yellow")
    return snapshot_id, name, snapshot.snapshot_type, count, tokens, cost, when(snapshot.created_at)


def snapshot_text(snapshot: Snapshot) -> str:
    count = plural(snapshot.message_count, "message")
    return f"{snapshot.snapshot_id}: {count} of {printable(snapshot.session_id, '')}"


def snapshots_text(result: conversation_snapshots.Result) -> str:
    if not result.snapshots:
        return "No snapshots. To make one: devs-git conversation snapshot"
    more = next_page.line("conversation snapshots", result.next_cursor) if result.next_cursor else ""
    titles = ("ID", "OF", "TYPE", "MESSAGES", "TOKENS", "COST", "WHEN")
    rows = [_line(snapshot) for snapshot in result.snapshots]
    return table(rows, titles, cuttable=("ID", "OF"), leave=("COST", "TOKENS", "TYPE", "WHEN")) + more
