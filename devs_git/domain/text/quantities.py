"""Sizes and spans of time as people write them in the policy and on the command line: `2GiB`, `30d`."""

from __future__ import annotations

import re

from devs_git.values import Final

_SIZE = re.compile(r"([0-9]{1,12})(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)", re.ASCII)
_SPAN = re.compile(r"([0-9]{1,6})(s|min|h|d|w)", re.ASCII)
_BYTES: Final[dict[str, int]] = {
    "B": 1,
    **{name: 1024**power for power, name in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)},
    **{name: 1000**power for power, name in enumerate(("kB", "MB", "GB", "TB"), 1)},
}
_SECONDS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def size(text: str) -> int:
    """Bytes of `2GiB`, `500MB`, `10B`; ValueError with a sentence for anything else."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a size; write it like 2GiB or 500MB.")
    return int(match[1]) * _BYTES[match[2]]


def span(text: str) -> int:
    """Seconds of `30d`, `12h`, `5min`, `2w`; ValueError with a sentence for anything else."""
    match = _SPAN.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a span of time; write it like 30d or 12h.")
    return int(match[1]) * _SECONDS[match[2]]


def in_words(count: int) -> str:
    """A number of bytes in the largest unit of which there is at least one: `3 MiB`, `12 KiB`, `7 bytes`."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}".replace(".0 ", " ")
    return f"{count} byte{'' if count == 1 else 's'}"
