"""Shell commands that only read: they may run while a gate is open.

The table is closed. It names programs, and of each program the options that write nothing and start no other program,
in the versions of GNU, BSD and busybox, and in ugrep and bfs, which Claude Code runs as `grep` and `find`. A word that
begins with `-` must be an option of the table, wherever it stands: so it does not matter which options take the next
word as their value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.calls.reading_programs import GIT, GIT_ITSELF, PROGRAMS, Options
from devs_git.domain.clients.client import FOLDERS
from devs_git.domain.text import simple_command

# The command of a shell tool, as text or as a list of words.
_COMMANDS: Final = ("command", "cmd")
# What says when, where and how long a command runs, or why.
_IDLE: Final = frozenset(
    {
        *FOLDERS,
        "description",
        "justification",
        "login",
        "max_output_tokens",
        "timeout",
        "timeout_ms",
        "yield_time_ms",
    }
)
# Values of other fields that change nothing. Any other value may mean another shell, a terminal, the background, or rights.
_UNSET: Final = (None, False, "", "use_default")
_SHELLS: Final = re.compile(r"(?:(?:/usr)?/bin/)?(?:ba|z|da)?sh")
_RUN: Final = ("-c", "-lc")
_NUMBER: Final = re.compile(r"-[0-9]+")
# `find -size -10k`.
_LESS_THAN: Final = re.compile(r"-[0-9]+[A-Za-z]?")
# `tail +5f` follows the file: an old form, in which the word begins with no `-`. BSD knows `F`, too.
_FOLLOWED: Final = re.compile(r"\+[0-9]*[A-Za-z]*[fF][A-Za-z]*")
# A format with `%G` makes git start gpg; a name may be configured to be such a format.
_FORMATS: Final = ("--format=", "--pretty=")
_SIGNATURE: Final = re.compile(r"%[-+ ]?G")
_NAMED_FORMATS: Final = frozenset(
    {"oneline", "short", "medium", "full", "fuller", "reference", "email", "raw"}
)


def only_reads(tool_input: Any) -> bool:
    """Whether a shell tool would run one simple command that only reads, in the foreground, in the client's own shell."""
    if not isinstance(tool_input, Mapping):
        return False
    given = [name for name in _COMMANDS if tool_input.get(name)]
    others = (tool_input[name] for name in tool_input if name not in _COMMANDS and name not in _IDLE)
    if len(given) != 1 or any(value not in _UNSET for value in others):
        return False
    words = _words(tool_input[given[0]])
    return bool(words) and _is_listed(words)


def is_git(tool_input: Mapping[str, Any]) -> bool:
    """Whether a command that only reads is one of git."""
    given = next((tool_input[name] for name in _COMMANDS if tool_input.get(name)), "")
    return list(_words(given)[:1]) == ["git"]


def _words(command: Any) -> Sequence[str]:
    """The words of a command; none if it is not a simple one. A list may have a shell and its text: `["sh", "-c", "ls"]`."""
    if isinstance(command, str):
        return simple_command.split(command) or ()
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return ()
    if len(command) == 3 and _SHELLS.fullmatch(command[0]) and command[1] in _RUN:
        return simple_command.split(command[2]) or ()
    return command if all(map(simple_command.is_plain, command)) else ()


def _is_listed(words: Sequence[str]) -> bool:
    program, *rest = words
    if program == "git":
        while rest and rest[0] in GIT_ITSELF:
            rest = rest[1:]
        verb = rest[0] if rest else ""
        return verb in GIT and _fit(GIT[verb], rest[1:]) and not any(map(_may_verify, rest))
    if program == "find":
        return _fit(PROGRAMS[program], [word for word in rest if not _LESS_THAN.fullmatch(word)])
    if program == "tail" and any(map(_FOLLOWED.fullmatch, rest)):
        return False
    return program in PROGRAMS and _fit(PROGRAMS[program], rest)


def _fit(options: Options, words: Sequence[str]) -> bool:
    return all(not word.startswith("-") or _is_option(options, word) for word in words)


def _is_option(options: Options, word: str) -> bool:
    name, given, _ = word.partition("=")
    if name in options.words:
        return not given or name.startswith("--")
    if options.number and _NUMBER.fullmatch(word):
        return True
    if word.startswith("--"):
        return False
    letters = word[1:]
    # The rest of a word behind a letter that takes a value is the value.
    end = next((at for at, letter in enumerate(letters) if letter in options.valued), len(letters))
    return bool(letters) and all(letter in options.flags for letter in letters[:end])


def _may_verify(word: str) -> bool:
    """Whether git may start gpg for this option, to verify signatures."""
    name = next((name for name in _FORMATS if word.startswith(name)), "")
    said = word.removeprefix(name)
    return bool(name) and bool(_SIGNATURE.search(said) or ("%" not in said and said not in _NAMED_FORMATS))
