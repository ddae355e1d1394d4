"""How many bytes of each kind of input are read: one table, so that no input can fill the memory.

A limit is far above what honest work needs. Longer input is refused as a whole; nothing is cut off.
"""

from __future__ import annotations

from devs_git.values import Final, immutable

_KIB, _MIB = 1 << 10, 1 << 20


@immutable
class Limit:
    """`what` is its name in the refusal, `most` the number of bytes, `why` the reason for it, `way_out` what to do."""

    what: str
    most: int
    why: str
    way_out: str

    @property
    def size_text(self) -> str:
        """The limit in words."""
        for unit, name in ((_MIB, "MiB"), (_KIB, "KiB")):
            if self.most % unit == 0:
                return f"{self.most // unit} {name}"
        return f"{self.most} bytes"


DOCUMENT: Final = Limit(
    "A request, a policy or a decision", 256 * _KIB, "People read them.", "Use fewer words."
)
TEXT: Final = Limit(
    "A plan or a result",
    400_000,
    "It has at most 100,000 characters, each of 4 bytes at most.",
    "Put the long text into a file of the repository, and name that file.",
)
SIGNATURE: Final = Limit(
    "A signature or its bytes",
    64 * _KIB,
    "A signature by OpenSSH has about 300 bytes.",
    "Name the file of the signature.",
)
OUTPUT: Final = Limit("A trace", 1_000_000_000, "SQLite stores no longer value.", "Store it in parts.")
PAYLOAD: Final = Limit(
    "A payload of a client's hook",
    64 * _MIB,
    "JSON takes several times its size when it is read.",
    "Let the tool write less, or to a file.",
)
MESSAGE: Final = Limit(
    "A message of a client on standard input",
    64 * _MIB,
    "JSON takes several times its size when it is read.",
    "Send it in parts.",
)
BODY: Final = Limit(
    "The body of a request over HTTP",
    16 * _MIB,
    "Several clients may send one at the same time.",
    "Send it in parts.",
)
LINE: Final = Limit(
    "A line of a transcript",
    64 * _MIB,
    "JSON takes several times its size when it is read.",
    "The other lines are read.",
)
EXPORTED: Final = Limit(
    "A line of an export",
    1 << 30,
    "A trace has no longer part, written as JSON.",
    "Export again: devs-git trace export",
)
REFS: Final = Limit(
    "A list of refs or commits from git",
    64 * _MIB,
    "This is half a million lines.",
    "Push fewer refs at once.",
)
ARCHIVED: Final = Limit(
    "A file of an archive of checkpoints",
    64 * _MIB,
    "Each of its 4,096 files then has some 100,000 tags.",
    "Archive more often.",
)
COMMIT: Final = Limit(
    "A commit's message",
    16 * _MIB,
    "An event that names 100,000 commits has this size.",
    "Write a shorter message.",
)
FILE: Final = Limit(
    "A text that is compared",
    16 * _MIB,
    "People read it, section by section.",
    "Make it smaller, or split it.",
)
TAS: Final = Limit(
    "The TAS",
    1 * _MIB,
    "People read it, section by section; to read its Markdown takes seconds a MiB.",
    "Make it smaller, or split it.",
)
SECRET: Final = Limit(
    "A text to delete",
    64 * _KIB,
    "Each object and each trace is searched for it.",
    "Name the file that has it: devs-git purge PATH",
)
ANSWER: Final = Limit("An answer", 1000, "It is y or n.", "Type y or n.")
ALL: Final = (
    DOCUMENT,
    TEXT,
    SIGNATURE,
    OUTPUT,
    PAYLOAD,
    MESSAGE,
    BODY,
    LINE,
    EXPORTED,
    REFS,
    ARCHIVED,
    COMMIT,
    FILE,
    TAS,
    SECRET,
    ANSWER,
)
