"""`resume` as text: the bundle as it is, or the list of what can be resumed."""

from __future__ import annotations

import shlex

from devs_git.commands.resume import Listing, Result
from devs_git.entrypoints.cli.texts import next_page
from devs_git.entrypoints.cli.texts.render import path, status_word, table, when
from devs_git.entrypoints.console import exact, paint
from devs_git.operations.resume.native_session import ResumedSession


def _session(result: Result, session: ResumedSession) -> str:
    """Which session goes on, and how."""
    what = result.task_id or f"contract {result.contract}"
    made = "was written from the catalog, because the client has none" if session.written else "is there"
    words = shlex.join(result.start_command)
    if result.rewind or result.fork:
        made = f"ends at {result.bundle.point}"
    lines = [
        f"{paint(what, bold=True)} goes on in session {session.session_id} of {session.client}: its transcript {made}.",
        *(f"Not in it: {sentence}" for sentence in session.left_out),
        f"In {_folder(result)}, run:",
        f"  {words}",
    ]
    return "\n".join(lines)


def _folder(result: Result) -> str:
    """Where the client starts. The person may be in another worktree than the session."""
    if result.fork:
        return path(result.fork.worktree)
    if not result.worktree:
        return "a worktree of this repository"
    if result.worktree == ".":
        return "the main worktree"
    return f"the worktree {path(result.worktree)} (its path from the main worktree)"


def _code(result: Result) -> list[str]:
    """What brought the code to an earlier state; nothing in the other modes."""
    if result.fork:
        made = result.fork
        return [
            f"{paint(made.task_id, bold=True)} begins at {made.forked_from}, in {path(made.worktree)}.",
            *(f"Left out: {exact(one)}" for one in made.left_out if not result.session),
            *(f"To do: {exact(one)}" for one in made.to_do),
            "",
        ]
    if result.rewind and result.rewind.rewind_id:
        back = result.rewind
        return [f"The code is back at {back.rewound_to}. To undo that: devs-git undo", ""]
    return []


def resume_text(result: Result | Listing) -> str:
    """The text of the bundle, for an agent; or a numbered list, for a person."""
    if isinstance(result, Result):
        if result.exit_code is not None:
            return "\n".join((*_code(result), f"{result.client} ended with exit code {result.exit_code}."))
        text = _session(result, result.session) if result.session else result.markdown.removesuffix("\n")
        return "\n".join((*_code(result), text))
    if not result.rows:
        return "There is no task yet. To start one: devs-git task start ID"
    rows = [
        (
            str(number),
            paint(row.task_id or f"contract {row.contract}", bold=True),
            status_word(row.status) if row.status else "",
            row.phase,
            row.client,
            when(row.seen_at),
            row.title,
        )
        for number, row in enumerate(result.rows, 1)
    ]
    titles = ("NR", "TASK", "STATUS", "PHASE", "CLIENT", "SEEN", "TITLE")
    return table(rows, titles, leave=("PHASE", "CLIENT", "SEEN")) + (
        next_page.line("resume", result.next_cursor) if result.next_cursor else ""
    )
