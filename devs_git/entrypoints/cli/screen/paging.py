"""Shows a long text with the pager, if standard output is a terminal and the text does not fit on it."""

from __future__ import annotations

import sys

from devs_git.entrypoints import console
from devs_git.entrypoints.cli.screen import size
from devs_git.storage.git.program import Git

_off = {"paging": False}  # by the option `--no-pager` of this process


def switch_off() -> None:
    """From now on, no pager is started."""
    _off["paging"] = True


def show(text: str, git: Git, word: str) -> None:
    """Write the text for people, with a pager if it needs one. `word`: the first word of the command."""
    if _off["paging"] or _fits(text):
        console.write(text)
        return
    from devs_git.entrypoints.cli.screen import pager  # most texts fit

    program = pager.choose(git, word)
    if not program:
        console.write(text)
        return
    sys.stdout.flush()
    encoding = sys.stdout.encoding or "utf-8"
    data = (console.as_on_terminal(text) + "\n").encode(encoding, "backslashreplace")
    if not pager.show(program, data):
        console.write(f"warning: the pager {program!r} could not be started.", err=True)
        console.write(text)


def _fits(text: str) -> bool:
    """Whether the text fits on the terminal with one line for the next prompt; yes in a pipe, and if its size is unknown."""
    room = size.lines()
    if not room:
        return True
    if text.count("\n") + 1 >= room:
        return False
    wide = size.columns()
    taken = sum(max(1, -(-console.width(line) // wide)) for line in text.split("\n")) if wide else 0
    return taken < room
