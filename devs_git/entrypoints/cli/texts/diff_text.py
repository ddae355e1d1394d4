"""What `diff` prints: git's patch, or its figures."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from devs_git.entrypoints import console
from devs_git.entrypoints.cli.texts.log_text import unknown_files_lines
from devs_git.entrypoints.cli.texts.render import path, plural, short, some_names, status_word, table

if TYPE_CHECKING:
    from devs_git.commands import diff

_ESCAPE: Final = b"\x1b"


def form() -> str:
    """Which patch the reader of standard output gets: a program has the plain one."""
    from devs_git.commands.diff import OWN_PATCH, PLAIN_PATCH

    return OWN_PATCH if console.for_person() else PLAIN_PATCH


def patch_text(result: diff.PatchResult) -> str | bytes:
    """git's patch. A pipe gets nothing else, and each byte of it; a person also reads what is compared."""
    unknown = _not_in_it(result)
    if not sys.stdout.isatty() and not result.coloured:
        if unknown:
            console.write("\n".join(unknown), err=True)
        return b"".join(line + b"\n" for line in result.lines)
    return "\n".join((f"{_heading(result)}  ({_totals(result)})", *_shown(result), *unknown))


def _shown(result: diff.PatchResult) -> list[str]:
    """The lines with git's colours. A line of a file that has an escape of its own is shown without them."""
    coloured = result.coloured or result.lines
    return [
        os.fsdecode(plain) if _ESCAPE in plain else console.with_colours(os.fsdecode(line))
        for plain, line in zip(result.lines, coloured, strict=True)
    ]


def figures_text(result: diff.Result) -> str:
    """One row a file, and the totals."""
    rows = [
        (
            status_word(item.action),
            "binary" if item.binary else f"+{item.additions} -{item.deletions}",
            f"{path(item.old_path)} -> {path(item.path)}" if item.old_path else path(item.path),
        )
        for item in result.files
    ]
    lines = [_heading(result), *([table(rows)] if rows else []), _totals(result)]
    return "\n".join(lines + _not_in_it(result))


def _not_in_it(result: diff.Result) -> list[str]:
    """What of the working tree the comparison does not show: who commits everything commits untracked files, too."""
    found = result.untracked
    shown = some_names(found.paths, found.count)
    lines = [f"Untracked, not shown ({found.count}): {shown}"] if found.count else []
    return unknown_files_lines(result) + lines


def _heading(result: diff.Result) -> str:
    return f"{result.from_name} {short(result.from_)} -> {result.to_name} {short(result.to)}".rstrip()


def _totals(result: diff.Result) -> str:
    totals = result.stats
    return f"{plural(totals.files_changed, 'file')}, +{totals.insertions} -{totals.deletions}"
