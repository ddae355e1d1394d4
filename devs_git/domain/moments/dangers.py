"""What a command of an agent may destroy: read generously from its text, because a miss costs somebody's work.

A moment before a command has the tracked and untracked files anyway. This says what it must have besides: the tips of
branches and the stash entries, ignored files, and which other worktrees. Of a program that nobody knows we expect that
it moves refs (to keep them is cheap), and not that it takes ignored files (to keep them is not).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from devs_git.domain.calls.reading_programs import PROGRAMS
from devs_git.domain.moments import git_takings, script_text
from devs_git.domain.moments.shell_words import LONGEST, Command, Word, commands
from devs_git.domain.moments.taking import (
    ALL_FILES,
    REFS,
    WHOLE_FOLDERS,
    Taking,
    around,
    at_paths,
    has,
    names,
    operands,
    words_of,
)
from devs_git.values import immutable, replace

# Programs that run the rest of their words as a command.
_PREFIXES: Final = names(
    "builtin busybox chronic command do doas else env exec if ionice nice nohup npx parallel pnpx setsid stdbuf sudo then"
    " time timeout until while xargs ! {"
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_NUMBER: Final = re.compile(r"[0-9.]+[smhd]?")
# A word with a space is shell text to these. To other programs it may be a text in their own language.
_SHELLS: Final = re.compile(r"(?:ba|z|da|k|fi)?sh|eval|git|su|ssh|watch|script")
# What only prints, or only makes something new.
_HARMLESS: Final = names(
    "[ [[ basename break case cd chmod continue date declare dirname done echo esac exit export false fi for function kill"
    " local mkdir popd printf pushd pwd read return select set shift sleep test touch trap true type umask unset wait which"
) | frozenset(PROGRAMS) - {"find"}
_REMOVES: Final = names("del rimraf rm rmdir shred srm trash trash-put unlink")
# Texts in texts that are read.
_DEEPEST: Final = 3
_COPIES: Final = names("cp install ln mv scp")
_UNPACKS: Final = names("7z 7za 7zz bsdtar jar tar unzip")
# Words of one command that may be names of files.
_MOST: Final = 200
# Lines that a program reads as a text in its own language. Those of `cat` are only written somewhere.
_HEREDOC: Final = re.compile(r"\b(?:python[0-9.]*|node|ruby|perl|php|deno|bun)\b[^\n]*<<")
_FD: Final = ("fd", "fdfind")
# What a shell puts something else for, except patterns.
_UNREADABLE: Final = re.compile(r"[$`{]")
_KNOWN: Final = names("dd sed tee truncate")
_FIND_REMOVES: Final = names("-delete -exec -execdir -ok -okdir -fprint -fls")


@immutable
class Danger:
    """What a text may take. `unread`: it is too long to be read whole."""

    takings: tuple[Taking, ...] = ()
    unread: bool = False

    @property
    def refs(self) -> bool:
        """Whether it may drop commits that only a branch or the stash reaches."""
        return self.unread or any("refs" in one.kinds for one in self.takings)

    @property
    def destroys(self) -> bool:
        """Whether it is known to destroy something: then we look afterwards what is gone."""
        return self.unread or any(not one.guess for one in self.takings)

    @property
    def ignored(self) -> tuple[Taking, ...]:
        """The parts that may take ignored files."""
        return tuple(one for one in self.takings if "ignored" in one.kinds)

    def with_other(self, other: Danger) -> Danger:
        """What this text or the other one may take."""
        return Danger((*self.takings, *other.takings), self.unread or other.unread)


def of_command(text: str) -> Danger:
    """What a shell command may take, without the scripts that it names (`scripts.named`)."""
    takings: list[Taking] = []
    for command in commands(text):
        takings += _judge(command, depth=0)
    if _HEREDOC.search(text):
        takings += script_text.takings(text)
    return Danger(tuple(dict.fromkeys(takings)), unread=len(text) > LONGEST)


def program(command: Command) -> tuple[str, Sequence[Word]]:
    """The program that a command starts, without its folder, and the words behind it; '' if it starts none."""
    words = command.words
    at, prefixed = 0, False
    while at < len(words):
        text = words[at].text
        name = posixpath.basename(text)
        value = prefixed and (text.startswith("-") or _NUMBER.fullmatch(text))
        if name in _PREFIXES:
            prefixed = True
        elif not value and not _ASSIGNMENT.match(text):
            return name, words[at + 1 :]
        at += 1
    return "", ()


def _judge(command: Command, depth: int) -> list[Taking]:
    name, words = program(command)
    found = list(_overwritten(command, command.written))
    if name == "git" or name.startswith("git-"):
        given = words if name == "git" else (Word(name[4:], len(name) - 4), *words)
        found += git_takings.judge(command, given)
        found += _overwritten(command, _outputs(words))
        texts = words if words and words[0].text in git_takings.RUNS_TEXT else ()
    else:
        found += _of_program(command, name, words)
        texts = words if name and name not in _HARMLESS else ()
    for word in texts:
        if depth < _DEEPEST and " " in word.text:
            found += _inside(command, word.text, depth + 1)
            found += () if _SHELLS.fullmatch(name) else script_text.takings(word.text)
    return found


def _inside(command: Command, text: str, depth: int) -> list[Taking]:
    """What the shell text in a word of a command may take."""
    found: list[Taking] = []
    for inner in commands(text):
        folder = None if command.folder is None or inner.folder is None else inner.folder
        at = folder if folder is None else posixpath.join(command.folder or "", folder)
        found += _judge(Command(inner.words, inner.written, at), depth)
    return found


def _of_program(command: Command, name: str, words: Sequence[Word]) -> tuple[Taking, ...]:
    if not name or name in _HARMLESS:
        return ()
    if name in _REMOVES:
        return _removed(command, name, words)
    if name in _COPIES:
        return _overwritten(command, _copied(operands(words)))
    if name == "find":
        removes = any(word.text in _FIND_REMOVES for word in words)
        return (at_paths(command, WHOLE_FOLDERS, _starts(words)),) if removes else ()
    if name in _FD:
        runs = has(words, "xX", "--exec", "--exec-batch")
        return (Taking(words_of(command), WHOLE_FOLDERS, None),) if runs else ()
    if name == "rsync" and any(word.text.startswith(("--del", "--remove-source")) for word in words):
        return (at_paths(command, WHOLE_FOLDERS, operands(words)[-1:]),)
    named = () if _SHELLS.fullmatch(name) else _overwritten(command, _files(words))
    if name in _KNOWN:
        return named
    named = tuple(replace(one, guess=True, unpacks=name in _UNPACKS) for one in named)
    return (around(command, REFS, guess=True), *named)


def _removed(command: Command, name: str, words: Sequence[Word]) -> tuple[Taking, ...]:
    """Behind `xargs` or `parallel` the paths come from elsewhere."""
    named = operands(words)
    first = posixpath.basename(command.words[0].text)
    if not named or first in ("xargs", "parallel"):
        return (Taking(words_of(command), WHOLE_FOLDERS, None),)
    whole = name != "unlink" and (name != "rm" or has(words, "rR", "--recursive"))
    return (at_paths(command, WHOLE_FOLDERS if whole else ALL_FILES, named),)


def _copied(named: Sequence[Word]) -> Sequence[Word]:
    """The files that a program writes over. A folder as the last word gets files of the names of the others."""
    if len(named) < 2:
        return ()
    *sources, last = named
    below = [f"{last.text.rstrip('/')}/{posixpath.basename(word.text.rstrip('/'))}" for word in sources]
    return [last, *(Word(text, len(text)) for text in below if last.is_plain)]


def _files(words: Sequence[Word]) -> list[Word]:
    """What may be the name of a file among the words of a program: any of them, and the value of an option.

    An address names a file, too: some programs write what they load under its last part.
    """
    found: list[Word] = []
    for word in words[:_MOST]:
        texts = [word.text, word.text.partition("=")[2]]
        if word.text.startswith("-"):
            texts = [texts[1], "" if word.text.startswith("--") else word.text[2:]]
        elif "://" in word.text:
            texts = [posixpath.basename(word.text.partition("?")[0])]
        known = word.text[: word.known]
        found += [
            Word(text, len(text) if word.is_plain else max(0, len(text) - len(word.text) + len(known)))
            for text in texts
            if text
        ]
    return found


def _outputs(words: Sequence[Word]) -> list[Word]:
    """The files into which git writes what it would show, as `git archive -o FILE` does."""
    behind = [word for before, word in pairwise(words) if before.text in ("-o", "--output")]
    return behind + _files([word for word in words if word.text.startswith(("-o", "--output="))])


def _overwritten(command: Command, words: Sequence[Word]) -> tuple[Taking, ...]:
    """Only files with these very names, or that match; a name that nobody can read is left out, because it would be all files."""
    known = [word for word in words if _is_name(word) and not word.text.startswith("/dev/")]
    plain = [Word(word.text, len(word.text)) for word in known]
    made = at_paths(command, ALL_FILES, plain, exact=True)
    return (made,) if made.paths else ()


def _is_name(word: Word) -> bool:
    """Whether a word is a name or a pattern of names, and has nothing else that a shell would change."""
    return word.is_plain or not _UNREADABLE.search(word.text, word.known)


def _starts(words: Sequence[Word]) -> Sequence[Word]:
    """The folders in which `find` begins."""
    found = []
    for word in words:
        if word.text.startswith(("-", "(", "!")):
            break
        found.append(word)
    return found or (Word(".", 1),)
