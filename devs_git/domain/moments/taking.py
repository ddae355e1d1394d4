"""What a command may take from a repository: one value for each part of the command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from devs_git.domain.moments.shell_words import Command, Word
from devs_git.values import immutable

# `nested`: whole repositories inside the worktree. `worktrees`: linked worktrees as a whole. `overwritten`: ignored files
# that a commit has, which git puts into the worktree: git overwrites an ignored file without a word.
Kind = Literal["refs", "tracked", "untracked", "ignored", "overwritten", "nested", "worktrees"]

REFS: Final[frozenset[Kind]] = frozenset({"refs"})
TRACKED: Final[frozenset[Kind]] = frozenset({"tracked"})
FILES: Final[frozenset[Kind]] = frozenset({"tracked", "untracked"})
# What `rm` takes of the paths that it names.
ALL_FILES: Final[frozenset[Kind]] = frozenset({"tracked", "untracked", "ignored"})
WHOLE_FOLDERS: Final[frozenset[Kind]] = ALL_FILES | {"nested"}
_SHOWN: Final = 80


@immutable
class Taking:
    """What one simple command may take. `what` are its words, shortened.

    `paths` are relative to the folder in which the whole text runs, or absolute, or begin with a `~`. None: nobody can
    tell where. `whole`: the whole worktree around each path; else what is at the path and below it. `exact`: only a file
    at the path itself, or at those that match if it is a pattern. `guess`: nobody knows the program. `revs`: words that may
    name the commits whose files git writes. `unpacks`: the paths are archives and folders, and what is taken is what the
    archives would write into the folders.
    """

    what: str
    kinds: frozenset[Kind]
    paths: tuple[str, ...] | None
    whole: bool = False
    exact: bool = False
    guess: bool = False
    revs: tuple[str, ...] = ()
    unpacks: bool = False


def names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def words_of(command: Command) -> str:
    """The words of a command, as a message shows them."""
    text = " ".join(command.texts)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def around(
    command: Command, kinds: frozenset[Kind], *, guess: bool = False, revs: tuple[str, ...] = ()
) -> Taking:
    """It takes from the whole worktree around its folder."""
    where = None if command.folder is None else (command.folder or ".",)
    return Taking(words_of(command), kinds, where, whole=True, guess=guess, revs=revs)


def at_paths(
    command: Command, kinds: frozenset[Kind], words: Sequence[Word], *, exact: bool = False
) -> Taking:
    """It takes what its words name. One word that nobody can read makes this unknown."""
    found = [command.path(word) for word in words]
    known = tuple(path for path in found if path is not None)
    unsure = len(known) < len(found)
    return Taking(words_of(command), kinds, None if unsure else known, exact=exact and not unsure)


def operands(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words that are no options; all words behind `--`."""
    texts = [word.text for word in words]
    end = texts.index("--") if "--" in texts else len(texts)
    before = (word for word in words[:end] if not word.text.startswith("-") or word.text == "-")
    return (*before, *words[end + 1 :])


def has(words: Sequence[Word], letters: str, *names: str) -> bool:
    """Whether an option is there: one of the letters, alone or bundled, or a long name, also the beginning of it."""
    for word in words:
        text = word.text
        if text == "--":
            return False
        if text.startswith("--"):
            said = text.partition("=")[0]
            if any(name.startswith(said) and len(said) > 4 for name in names) or said in names:
                return True
        elif text.startswith("-") and any(letter in text[1:] for letter in letters):
            return True
    return False
