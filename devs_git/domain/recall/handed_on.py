"""The shortened form of a long output of a shell, for the model, if the policy says `recording: {shorten: true}`.

It sees the beginning, the end, and the id of the trace between them. A client's transcript then has this text instead of
the output, so whoever reads a transcript has to know it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from devs_git.values import immutable

# In characters: a longer output is shortened. Claude Code and Codex cut outputs from here on in any case.
LONGEST: Final = 30_000
# How many characters of its beginning, and of its end, stay.
KEPT: Final = 4_000
_MIDDLE: Final = re.compile(
    r"\n\[devs-git: the middle is left out; the whole output \(([0-9]{1,15}) bytes\): "
    r"(?:devs-git|git devs) trace get ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]\n"
)


@immutable
class LongOutput:
    """A long output of a call, with the id of its trace and its size. `cut_by_client`: the client had cut it before."""

    text: str
    trace_id: str
    size: int
    cut_by_client: bool

    @property
    def shortened(self) -> str:
        """The text in the place of the output."""
        middle = f"[devs-git: the middle is left out; the whole output ({self.size} bytes): {self.command}]"
        return f"{self.text[:KEPT]}\n{middle}\n{self.text[-KEPT:]}"

    @property
    def command(self) -> str:
        return f"git devs trace get {self.trace_id}"

    @property
    def hint(self) -> str:
        """A line beside the output, for a client that lets nobody replace the output."""
        what = (
            "This long output, as the client cut it, is stored"
            if self.cut_by_client
            else "This long output is stored whole"
        )
        return f"{what} by devs-git: {self.command}"


class Named(NamedTuple):
    """The trace that a shortened output names, the size of the whole in bytes, and the texts before and after the name."""

    trace_id: str
    size: int
    head: str
    tail: str

    def is_of(self, output: str, size: int) -> bool:
        """Whether an output of this size has the texts at its ends. A client may have taken away white space."""
        begins = output.startswith(self.head) or output.lstrip().startswith(self.head)
        ends = output.endswith(self.tail) or output.rstrip().endswith(self.tail)
        return size == self.size and begins and ends


def trace_named(text: str) -> Named | None:
    """The trace that `text` names, if it is an output that we have shortened; else None.

    A client may take away white space around it, so beginning and end may be shorter than we made them. Any tool can
    print such a text.
    """
    if len(text) > 2 * KEPT + 200:
        return None
    found = _MIDDLE.search(text)
    if not found or found.start() > KEPT or len(text) - found.end() > KEPT:
        return None
    return Named(found[2], int(found[1]), text[: found.start()], text[found.end() :])
