"""The simple commands in a shell text, and their words, read generously: nothing that a shell would run is missed for a rule.

This is no shell: it knows quotes, separators, redirections and the folder that `cd` leads to. It runs nothing and expands
nothing. A word that a shell would expand is kept up to that place. `reading_commands` is the strict reader: it says what
only reads. This one says what may destroy, so whatever it cannot tell counts as a command, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.values import immutable

# In characters. What stands behind them is not read; the caller treats a longer text as one that it does not know.
LONGEST: Final = 1 << 20
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)
      | (?P<comment>(?<![^\s;&|()])\#[^\n]*)
      | (?P<redirect>[0-9]*(?:<<<|<<-?|<>|>>|>\||[<>])&?(?!\())
      | (?P<end>\|\||&&|&>{1,2}|[;&|\n])
      | (?P<open>[$<>]?\(|`)
      | (?P<close>\))
      | '(?P<single>[^']*)'?
      | "(?P<double>(?:[^"\\]|\\.)*)"?
      | \\(?P<escaped>.?)
      | (?P<text>[^\s;&|()`'"\\<>]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_EXPANDED: Final = re.compile(r"[$`*?\[{]")
_INNER: Final = re.compile(r"\$\(|`")
_MEANS_FOLDER: Final = ("cd", "pushd", "popd")


@immutable
class Word:
    """One word without its quotes. `known`: how many of its characters are as a shell would have them."""

    text: str
    known: int

    @property
    def is_plain(self) -> bool:
        """Whether no shell changes it."""
        return self.known == len(self.text)


@immutable
class Command:
    """One simple command: its words, the files into which it writes, and its folder.

    `folder` is relative to the folder of the text, '' for that one, None if nobody can tell.
    """

    words: tuple[Word, ...]
    written: tuple[Word, ...]
    folder: str | None

    @property
    def texts(self) -> tuple[str, ...]:
        """Its words as text."""
        return tuple(word.text for word in self.words)

    def path(self, word: Word) -> str | None:
        """Where a word leads, relative to the folder of the text or absolute; None if nobody can tell.

        Of a pattern this is the folder in which it finds something.
        """
        text = word.text if word.is_plain else word.text[: word.known].rpartition("/")[0]
        if not word.is_plain and word.text[word.known : word.known + 1] in "$`":
            return None
        if text.startswith(("/", "~")):
            return text
        if not word.is_plain and word.text.startswith("/"):
            return "/"
        return None if self.folder is None else posixpath.normpath(posixpath.join(self.folder, text or "."))


class _Reader:
    """Collects the commands of one text. `folders` has the folder of each open parenthesis, the innermost last."""

    def __init__(self) -> None:
        self.folders: list[str | None] = [""]
        self.words: list[Word] = []
        self.written: list[Word] = []
        self.word: str | None = None
        self.known: int | None = None
        # Where the word that comes now belongs.
        self.target: list[Word] = self.words

    def add(self, text: str, *, expands: bool) -> None:
        """Text of a word that goes on until a space."""
        so_far = self.word or ""
        found = _EXPANDED.search(text) if expands else None
        if found and self.known is None:
            self.known = len(so_far) + found.start()
        self.word = so_far + text

    def end_word(self) -> None:
        if self.word is None:
            return
        word = Word(self.word, len(self.word) if self.known is None else self.known)
        self.target.append(word)
        self.word, self.known, self.target = None, None, self.words

    def redirect(self, sign: str) -> None:
        """The next word is a file, or a descriptor, or nothing that counts."""
        self.end_word()
        self.target = self.written if ">" in sign and not sign.endswith(">&") else []

    def end_command(self) -> Command | None:
        """The command that ends here; None if it has no word."""
        self.end_word()
        made = Command(tuple(self.words), tuple(self.written), self.folders[-1])
        self.words, self.written = [], []
        self.target = self.words
        if made.words and made.words[0].text in _MEANS_FOLDER:
            self.folders[-1] = _folder_after(made)
        return made if made.words or made.written else None


def commands(text: str) -> tuple[Command, ...]:
    """Every simple command in `text`, those in parentheses and substitutions, too, in order."""
    return tuple(_read(text[:LONGEST]))


def _read(text: str) -> Iterator[Command]:
    reader = _Reader()
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup or "escaped"
        if kind in ("end", "open", "close"):
            made = reader.end_command()
            if made:
                yield made
            _nest(reader, token[0])
        elif kind in ("space", "comment"):
            reader.end_word()
        elif kind == "redirect":
            reader.redirect(token[0])
        else:
            reader.add(token[kind] or "", expands=kind in ("text", "double"))
            if kind == "double" and _INNER.search(token[kind]):
                yield from _read(_INNER.sub(" ; ", token[kind]).replace(")", " ; "))
    made = reader.end_command()
    if made:
        yield made


def _nest(reader: _Reader, sign: str) -> None:
    if sign.endswith("("):
        reader.folders.append(reader.folders[-1])
    elif sign == ")" and len(reader.folders) > 1:
        reader.folders.pop()
    elif sign.startswith("&>"):
        reader.redirect(">")


def _folder_after(command: Command) -> str | None:
    """The folder after a `cd`."""
    words: Sequence[Word] = [word for word in command.words[1:] if not word.text.startswith("-")]
    if len(words) != 1 or not words[0].is_plain:
        return None
    return command.path(words[0])
