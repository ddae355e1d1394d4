"""Moments as text for people: a row of `log`, and what `show` and `status` say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devs_git.domain.text.plain_text import cut
from devs_git.entrypoints.cli.texts.render import path, plural, short, table, when
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    from devs_git.commands import show, status
    from devs_git.domain.checkpoints.rows import MomentRow

# How much of a session's id, and of a prompt, a list shows. The first 8 digits of Codex's ids are a time: sessions of the same
# minute share them.
SESSION_DIGITS: Final = 13
WORDS: Final = 72
THEN: Final = 40
# When moments of each kind are made.
OCCASIONS: Final = {
    "prompt": "before a prompt",
    "call": "before a tool call",
    "after": "after a tool call",
    "stop": "when the session stopped",
    "snapshot": "by snapshot create",
    "worktree": "before a worktree was removed",
}


def moment_cells(one: MomentRow) -> tuple[str, ...]:
    """Mark, name, kind, session with the number of the turn, time, and the words with figures."""
    files = "" if one.files_changed is None else f"({plural(one.files_changed, 'file')})"
    place = "" if one.worktree == "." else f"[worktree {one.worktree}]"
    then = f"then: {cut(one.next_prompt, THEN)}" if one.next_prompt else ""
    said = "  ".join(filter(None, (cut(one.words, WORDS), files, then, place)))
    return (paint(".", "cyan"), one.name, one.kind, _session(one), when(one.created_at), said)


def _session(one: MomentRow) -> str:
    """The beginning of the session's id with the number of the turn: after `moment:` it is a name, too."""
    if not one.session_id:
        return "-"
    return one.session_id[:SESSION_DIGITS] + (f"/{one.turn}" if one.turn else "")


def last_moment_line(last: status.LastMoment) -> str:
    """What `status` says of the last moment of the worktree."""
    said = f": {cut(last.words, WORDS)}" if last.words else ""
    occasion = OCCASIONS.get(last.kind, last.kind)
    return f"Last moment: {last.name}, {when(last.created_at)}, {occasion}{said}. See: devs-git log --moments"


def gaps_line(gaps: tuple[status.Gap, ...]) -> str:
    """What `status` says of the moments that could not be made; there is at least one."""
    newest = gaps[-1]
    missing = f"{plural(len(gaps), 'moment')} of the last day {'is' if len(gaps) == 1 else 'are'} missing"
    occasion = OCCASIONS.get(newest.kind, newest.kind)
    return (
        f"{missing}, the newest of them {when(newest.created_at)}, {occasion}, because {newest.reason}. "
        "To make one now: devs-git snapshot create"
    )


def moment_text(result: show.MomentResult) -> str:
    """All that `show` knows of a moment, and what one can run now."""
    words = cut(result.words, WORDS) or OCCASIONS.get(result.kind, result.kind)
    rows = [
        ("made", f"{when(result.created_at)}, {OCCASIONS.get(result.kind, result.kind)}"),
        ("worktree", f"{path(result.folder)}{' (gone)' if result.gone else ''}"),
        ("branch", result.branch or "none (detached HEAD)"),
        ("task", result.task_id or "none"),
        ("files", f"{result.staged} staged, {result.unstaged} not staged, {result.untracked} untracked"),
        *_optional_rows(result),
        ("id", result.id),
        ("HEAD", result.head or "none, before the first commit"),
    ]
    now = "\n".join(
        ("To see what changed since, and to go back:", *(f"  {line}" for line in result.commands))
    )
    return f"{paint(result.name, bold=True)}  {words}\n\n{table(rows)}\n\n{now}"


def _optional_rows(result: show.MomentResult) -> list[tuple[str, str]]:
    """The rows that most moments do not have."""
    turn = f", turn {result.turn}" if result.turn else ""
    before = f" since moment:{short(result.previous)}" if result.previous else " since HEAD"
    changed = "" if result.files_changed is None else plural(result.files_changed, "file") + before
    said = result.point
    rows = [
        ("session", f"{result.session_id} ({result.client}){turn}" if result.session_id else ""),
        ("said", f"up to message {said.message_count} of {said.session_id}: {said.entry}" if said else ""),
        ("words", cut(result.words, 200)),
        ("then", cut(result.next_prompt, 200)),
        ("changed", changed),
        ("conflicts", "the index had unmerged entries" if result.unmerged else ""),
        ("in progress", result.under_way),
        ("left out", ", ".join(map(path, result.left_out))),
        ("ignored", ", ".join(map(path, result.ignored))),
        ("also keeps", ", ".join(f"{path(one.name)} {short(one.commit)}" for one in result.kept)),
    ]
    return [row for row in rows if row[1]]
