"""A table that is no wider than the terminal: columns leave it, then cells are cut. A row is always one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from devs_git.entrypoints.console import cut, paint, width

GAP: Final = "  "
_LEAST: Final = 30  # columns of the terminal that a cell which may be cut keeps before another column leaves
_SHORTEST: Final = 4  # of any cell


def fit_table(
    rows: Sequence[Sequence[str]],
    titles: Sequence[str],
    room: int,
    *,
    cuttable: Sequence[str] = (),
    leave: Sequence[str] = (),
) -> list[str]:
    """The lines of the table, each in at most `room` columns (0: any); its first line has the titles, unless all are ''.

    `cuttable`: the titles of columns whose cells are cut first, the last one by default. `leave`: those that leave the table
    if it is too wide, in this order. A column without any text is not shown.
    """
    kept = [at for at, title in enumerate(titles) if any(row[at] for row in rows) or not title]
    wide = {
        at: max(width(title_or_cell) for title_or_cell in (titles[at], *(row[at] for row in rows)))
        for at in kept
    }
    soft = [at for at in kept if titles[at] in cuttable] or kept[-1:]
    for title in leave:
        least = sum(min(wide[at], _LEAST) if at in soft else wide[at] for at in kept) + len(GAP) * (
            len(kept) - 1
        )
        if not room or least <= room:
            break
        kept = [at for at in kept if titles[at] != title]
        soft = [at for at in soft if at in kept]
    if room:
        wide = _narrowed({at: wide[at] for at in kept}, soft, room - len(GAP) * (len(kept) - 1))
    head = [[paint(titles[at], "bright_black") for at in kept]] if any(titles) else []
    body = [[row[at] for at in kept] for row in rows]
    return [_line(cells, [wide[at] for at in kept]) for cells in (*head, *body)]


def _narrowed(wide: dict[int, int], soft: Sequence[int], room: int) -> dict[int, int]:
    """The widths of the columns, narrowed where they need more than `room`: the widest of the soft ones first."""
    found = dict(wide)
    for group, least in ((soft, _LEAST), (list(found), _SHORTEST)):
        while group and (over := sum(found.values()) - room) > 0:
            widest, *others = sorted(group, key=lambda at: -found[at])
            if found[widest] <= least:
                break
            below = max([least, *(found[at] for at in others if found[at] < found[widest])])
            found[widest] = max(below, found[widest] - over)
    return found


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    cut_cells = [cut(cell, size) for cell, size in zip(cells, wide, strict=True)]
    return GAP.join(
        cell + " " * (size - width(cell)) for cell, size in zip(cut_cells, wide, strict=True)
    ).rstrip()


def facts(rows: Sequence[Sequence[str]], room: int) -> list[str]:
    """Lines of names and values. A value that is too long goes on below itself; a word that is too long stays whole."""
    if not rows:
        return []
    wide = max(width(name) for name, _ in rows)
    lines = []
    for name, value in rows:
        first, *more = fold_words(value, room - wide - len(GAP))
        lines += [
            name + " " * (wide - width(name)) + GAP + first,
            *(" " * wide + GAP + line for line in more),
        ]
    return [line.rstrip() for line in lines]


def fold_words(value: str, room: int) -> list[str]:
    """The text in lines of at most `room` columns (0: one line), if its words are not longer."""
    lines = [""]
    for word in value.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width(longer) > room > 0:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
