"""The manual page, made of the verb table and each command's help. `make man` writes it; a test compares it.

git shows this page for `git help devs` and `git devs --help`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from devs_git.domain.verbs import OTHER_COMMANDS, VERBS
from devs_git.entrypoints.cli import overview
from devs_git.entrypoints.cli.groups import TableGroup
from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.cli.texts.words import WORDS

NAMES: Final = ("devs-git.1", "git-devs.1")
STATUS: Final = {
    "0": "Done.",
    "1": "A check or a gate says no.",
    "2": "Usage: an option or argument is missing or unknown.",
    "3": "A value is refused or not found.",
    "4": "A conflict, or busy. Look at the state and try again.",
    "5": "The ledger is damaged. Call a person.",
    "70": "A bug of devs-git; the trace is in its log file.",
    "130": "Interrupted.",
}
_PLACES: Final = {
    "refs/tags/devs/task-*": "Completed checkpoints, as annotated tags.",
    "refs/devs/checkpoints/": "Every checkpoint by its number.",
    "refs/devs/checkpoints/archive/": "Archives: each keeps many checkpoints of old tasks, without a ref for each.",
    "refs/devs/backup/": "The state before each operation that moved the working tree.",
    "refs/heads/devs/ledger": "The ledger: git log refs/heads/devs/ledger is the audit log.",
    "devs-policy.yaml": "The proposed policy. Commit it, so that clones find the ledger.",
    ".devs/": "A read-only view of the ledger's files.",
    ".git/devs/": "Catalog, index, journal and locks, shared by all worktrees.",
}
_COMMON: Final = ("as_json", "repo", "yes")  # described once, not with every command


def page() -> str:
    """The page in roff. The page of the other name only includes it."""
    return "\n".join((*_head(), *_commands(), *_tail())) + "\n"


def _head() -> Iterator[str]:
    yield '.TH DEVS\\-GIT 1 "" devs\\-git "devs\\-git manual"'
    yield from (
        ".SH NAME",
        "devs\\-git, git\\-devs \\- checkpoints, rewind and gates for coding agents in a git repository",
    )
    yield from (".SH SYNOPSIS", ".B devs\\-git", ".I command", "[\\fIoptions\\fR] [\\fIarguments\\fR]", ".br")
    yield from (".B git devs", ".I command", "[\\fIoptions\\fR] [\\fIarguments\\fR]")
    first, _blank, rest = overview.ABOUT.partition("\n\n")
    yield from (".SH DESCRIPTION", _text(first), *_block(rest))
    yield ".SH OPTIONS"
    for option, description in overview.OPTIONS.items():
        yield from (".TP", f".B {_text(option)}", _text(description))
    yield ".PP"
    yield "Commands that print a result also have these options:"
    root = click.Context(cli, info_name="devs-git")
    start = _command("task start", root)
    yield from _options(p for p in start.params if p.name in _COMMON)


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    root = click.Context(cli, info_name="devs-git")
    for name in (*VERBS, *(name for name in OTHER_COMMANDS if name != "hook")):
        command = _command(name, root)
        usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=name, parent=root)))
        about, _example, example = (command.help or "").partition("Example:\n")
        yield from (f".SS {_text(name)} {_text(usage)}", _text(about.replace("\b", "").strip()))
        yield from _options(p for p in command.params if p.name not in _COMMON)
        yield from _block(example)


def _command(name: str, root: click.Context) -> click.Command:
    at: click.Command = cli
    for word in name.split():
        assert isinstance(at, TableGroup)
        found = at.get_command(root, word)
        assert found is not None, name
        at = found
    return at


def _options(params: Iterator[click.Parameter]) -> Iterator[str]:
    context = click.Context(click.Command("devs-git"))
    for param in params:
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record:
            yield from (".TP", f".B {_text(record[0])}", _text(record[1]))


def _tail() -> Iterator[str]:
    yield ".SH WORDS"
    for word, meaning in WORDS.items():
        yield from (".TP", f".B {_text(word)}", _text(meaning))
    yield ".SH EXIT STATUS"
    for status, description in STATUS.items():
        yield from (".TP", f".B {status}", _text(description))
    yield ".SH FILES"
    for place, description in _PLACES.items():
        yield from (".TP", f".I {_text(place)}", _text(description))
    yield from (".SH SEE ALSO", ".BR git (1),", ".BR git\\-tag (1),", ".BR githooks (5)")


def _block(lines: str) -> Iterator[str]:
    yield from (
        ".PP",
        ".nf",
        ".RS",
        *(_text(line.strip()) for line in lines.strip("\n").splitlines()),
        ".RE",
        ".fi",
    )


def _text(words: str) -> str:
    """`words` with escapes, so that roff prints them unchanged."""
    safe = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("\n", " ")
    return "\\&" + safe if safe.startswith(".") else safe


def write(folder: Path) -> None:
    """Write both pages into `folder`."""
    folder.mkdir(exist_ok=True)
    for name, text in zip(NAMES, (page(), ".so man1/devs-git.1\n"), strict=True):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path("man"))
