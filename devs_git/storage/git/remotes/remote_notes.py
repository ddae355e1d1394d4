"""A note in our shared folder with one line for each remote: its name, a tab, and what devs-git wants to know again."""

from __future__ import annotations

from pathlib import Path

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import split_lines
from devs_git.values import Final

# Bytes of a note that are read.
_MOST: Final = 1 << 16


def read(note: Path, remote: str) -> str:
    """What the note says of the remote; '' for nothing."""
    return _rows(note).get(remote, "")


def write(note: Path, remote: str, text: str) -> None:
    """Let the note say this of the remote, if it says something else. Nothing is written for '' and for several lines."""
    rows = _rows(note)
    if text and "\n" not in text and rows.get(remote) != text:
        rows[remote] = text
        lines = "".join(f"{name}\t{each}\n" for name, each in rows.items())
        replace_file(note, lines.encode("utf-8", "surrogateescape"))


def _rows(note: Path) -> dict[str, str]:
    try:
        with note.open("rb") as stream:
            text = stream.read(_MOST).decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    rows = (line.partition("\t") for line in split_lines(text))
    return {name: each for name, _, each in rows if each}
