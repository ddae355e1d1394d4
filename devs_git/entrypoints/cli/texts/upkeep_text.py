"""prune, archive and du as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints.retention import NOUNS
from devs_git.entrypoints.cli.texts.render import blocked_lines, path, plural, table
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    from devs_git.commands import archive, du, prune

# What each kind of `du` is.
_ABOUT = {
    "moments": "states of worktrees between checkpoints",
    "backups": "states from before rewinds, undos and restores",
    "preserved": "branches devs/preserved/ that rewinds left",
    "snapshots": "branches snapshot/",
    "checkpoints": "what only checkpoints have",
    "ledger": "the branch devs/ledger",
    "conversations": "messages of agents' sessions",
    "conversation snapshots": "named points of conversations",
    "traces": "outputs of tools",
    "written sessions": "sessions in the folders of clients",
    "catalog": "the index of the catalog, and free space",
    "spool": "what hooks captured and nobody has read yet",
    "transcripts": "transcripts that our plug-ins wrote",
    "private files": "indexes and notes of worktrees",
}
_TITLES = ("KIND", "COUNT", "ON DISK", "KEPT FOR", "WHAT")
_SHOWN = 20
_DAY = 86400
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def prune_text(result: prune.Result) -> str:
    """How many went of each kind, and why something old stays."""
    verb = "Would delete" if result.dry_run else "Deleted"
    lines = []
    for kind in result.kinds:
        one, more = NOUNS[kind.kind]
        lines.append(f"{verb} {kind.count} {one if kind.count == 1 else more} older than {_span(kind.keep)}")
        lines += [f"  {path(name)}" for name in kind.names[:_SHOWN]]
        if len(kind.names) > _SHOWN:
            lines.append(
                f"  and {len(kind.names) - _SHOWN} more; all of them: devs-git prune --dry-run --json"
            )
        lines += [f"  kept: {path(one.name)}, {one.reason}" for one in kind.kept]
    if result.event and any(kind.count for kind in result.kinds if kind.kind in ("backups", "preserved")):
        lines.append("git frees the space when it collects garbage: git gc")
    return "\n".join([*lines, *blocked_lines(result)])


def archive_text(result: archive.Result) -> str:
    """How many refs were archived or came back, and what to do for a remote."""
    refs = plural(result.refs, "ref")
    tags = f", {plural(result.tags, 'visible tag')} among them" if result.tags else ""
    if result.undo:
        verb, ends = ("Would make", "would delete") if result.dry_run else ("Made", "deleted")
        lines = [f"{verb} {refs} again{tags}.", *(f"  {ends} archive {oid}" for oid in result.archives)]
    else:
        verb = "Would archive" if result.dry_run else "Archived"
        lines = [f"{verb} {refs}{tags}.", *(f"  new archive {oid}" for oid in result.archives)]
    if not result.dry_run and (result.refs or result.archives):
        lines.append("To do the same at a remote: devs-git sync")
    return "\n".join([*lines, *blocked_lines(result)])


def du_text(result: du.Result) -> str:
    """A line for each kind, then the days of moments by worktree."""
    rows = [
        (kind.kind, str(kind.count), _size(kind.bytes), _kept(kind), _ABOUT.get(kind.kind, ""))
        for kind in result.kinds
    ]
    lines = [table(rows, _TITLES, leave=("WHAT",), titles_in_pipes=True)]
    if result.days:
        shown = result.days[-_SHOWN:]
        days = [(one.day, path(one.worktree), plural(one.moments, "moment")) for one in shown]
        lines += [
            "",
            "Moments by day (UTC) and worktree:",
            table(days, ("DAY", "WORKTREE", "MOMENTS"), cuttable=("WORKTREE",)),
        ]
        if len(result.days) > _SHOWN:
            lines.append(f"and {len(result.days) - _SHOWN} older days; all of them: devs-git du --json")
    if any(kind.old for kind in result.kinds):
        lines += [
            "",
            paint("Some of it is older than the policy keeps it. To delete that: devs-git prune", "yellow"),
        ]
    return "\n".join(lines)


def _kept(kind: du.Kind) -> str:
    if kind.keep < 0:
        return ""
    old = f", {kind.old} older" if kind.old else ""
    return f"{_span(kind.keep)}{old}"


def _span(seconds: int) -> str:
    """A span of time in the largest unit that says it exactly."""
    for size, unit in ((_DAY, "day"), (3600, "hour"), (60, "minute")):
        if seconds % size == 0:
            return plural(seconds // size, unit)
    return plural(seconds, "second")


def _size(count: int) -> str:
    """Bytes with a binary unit; `unknown` for -1."""
    if count < 0:
        return "unknown"
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} B" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"
