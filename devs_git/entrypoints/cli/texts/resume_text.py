"""`resume` as text: the bundle as it is, or the list of what can be resumed."""

from __future__ import annotations

from devs_git.commands.resume import Listing, Result
from devs_git.entrypoints.cli.texts.render import status_word, table, when
from devs_git.entrypoints.console import paint


def resume_text(result: Result | Listing) -> str:
    """The text of the bundle, for an agent; or a numbered list, for a person."""
    if isinstance(result, Result):
        return result.markdown.removesuffix("\n")
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
    more = [f"… more: --cursor '{result.next_cursor}'"] if result.next_cursor else []
    return "\n".join([table(rows), *more])
