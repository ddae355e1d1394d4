"""Sets as bit masks: copying and comparing them is fast, and they differ little from event to event."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.values import field, mutable


def bits(mask: int) -> Iterator[int]:
    """The numbers of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@mutable
class Rows:
    """Paths with their blobs ('' for no file). Each row has a bit. A set is a mask with at most one row for each path."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    of_path: dict[str, int] = field(default_factory=dict)

    def put(self, mask: int, path: str, blob: str | None) -> int:
        """The set with this blob at the path; None removes the path."""
        mask &= ~self.of_path.get(path, 0)
        if blob is None:
            return mask
        number = self.numbers.setdefault((path, blob), len(self.rows))
        if number == len(self.rows):
            self.rows.append((path, blob))
            self.of_path[path] = self.of_path.get(path, 0) | 1 << number
        return mask | 1 << number

    def get(self, mask: int, path: str) -> str | None:
        """The blob at a path; None if the set does not have the path."""
        found = mask & self.of_path.get(path, 0)
        return self.rows[found.bit_length() - 1][1] if found else None

    def every(self, mask: int) -> dict[str, str]:
        """The blobs by path."""
        return dict(self.rows[number] for number in bits(mask))
