"""Reads the edges back from a drawn graph. It knows only what a person knows: which signs go on in which directions.

A line with a mark is a row. A line without one says what the lanes do below the row above it: the lane of that row, and each
lane that ends there, go on in all lanes that it touches and that go down. A lane that stands between two level lines, and is
no joint, is not touched by them.
"""

from __future__ import annotations

from typing import Final

MARK: Final = "*"
_UPRIGHT: Final = {"unicode": "│┆", "ascii": "|:"}
_JOINTS: Final = {"unicode": "├┤┼╮╭┬╯╰┴", "ascii": "|+.'"}
_DOWN: Final = {"unicode": "├┤┼╮╭┬", "ascii": "|+."}
_UP: Final = {"unicode": "│┆├┤┼╯╰┴", "ascii": "|:+'"}
_LEVEL: Final = {"unicode": "─", "ascii": "-"}
Lanes = dict[int, set[int]]  # the rows whose lines come down in a column


def read_edges(lines: list[str], style: str) -> set[tuple[int, int]]:
    """Pairs of rows, counted from 0: the upper one, and that to which its line goes. AssertionError if a line breaks off."""
    edges: set[tuple[int, int]] = set()
    lanes: Lanes = {}
    row, own = -1, -1
    for line in lines:
        signs = {at // 2: sign for at, sign in enumerate(line) if at % 2 == 0 and sign != " "}
        if MARK not in line:
            lanes = _joined(line, signs, lanes, own, style)
            continue
        if own not in signs:  # the row above ended its lane
            lanes.pop(own, None)
        row, own = row + 1, line.index(MARK) // 2
        assert line.count(MARK) == 1, line
        assert all(sign in _UPRIGHT[style] for at, sign in signs.items() if at != own), line
        assert lanes.keys() - {own} == signs.keys() - {own}, line
        edges |= {(upper, row) for upper in lanes.get(own, set())}
        lanes[own] = {row}
    return edges


def _joined(line: str, signs: dict[int, str], lanes: Lanes, own: int, style: str) -> Lanes:
    touched = {at for at, sign in signs.items() if _is_joint(line, at, sign, style)}
    down = {at for at in touched if signs[at] in _DOWN[style]}
    assert own in touched, line
    assert all(signs.get(at, " ") in _UP[style] for at in lanes), line
    assert all(at in lanes for at, sign in signs.items() if at not in touched and sign in _UPRIGHT[style]), (
        line
    )
    ended = (touched - down) | {own}
    assert len(down) == 1 or ended & lanes.keys() == {own}, line
    from_ended = set().union(*(lanes.get(at, set()) for at in ended))
    kept = {at: uppers for at, uppers in lanes.items() if at not in ended}
    return kept | {at: kept.get(at, set()) | from_ended for at in down}


def _is_joint(line: str, at: int, sign: str, style: str) -> bool:
    left, right = (
        0 <= place < len(line) and line[place] == _LEVEL[style] for place in (2 * at - 1, 2 * at + 1)
    )
    if sign == _LEVEL[style]:
        assert left, line
        assert right, line
        return False
    if sign in _UPRIGHT[style] and (left == right):
        return False
    assert sign in _JOINTS[style], line
    assert left or right, line
    return True
