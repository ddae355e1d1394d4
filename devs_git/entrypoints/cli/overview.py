"""The text of `devs-git --help`, made of the verb table. It needs no import of click."""

from __future__ import annotations

from devs_git.domain.verbs import OTHER_COMMANDS, VERBS
from devs_git.values import Final

ABOUT: Final = """Checkpoints, rewind and gates for coding agents in a git repository.

Start:    devs-git init
Work:     devs-git task start 10 --title "Parse dates"
Finish:   devs-git task complete --all -m "Dates are parsed"
Go back:  devs-git rewind task-10
Return:   devs-git undo
"""
COLOUR, NO_PAGER = "--color [auto|always|never]", "--no-pager"
OPTIONS: Final = {
    COLOUR: "When to write colours. auto: on a terminal, unless NO_COLOR is set.",
    NO_PAGER: "Do not show long texts with a pager.",
    "--version": "Show the version and exit.",
    "-h, --help": "Show this message and exit.",
}


def below(prefix: str) -> dict[str, str]:
    """The second words of a group's verbs with their summaries, such as `start` and `complete` of `task`."""
    begin = prefix + " "
    return {name.removeprefix(begin): text for name, text in _summaries().items() if name.startswith(begin)}


def ending_with(word: str) -> list[str]:
    """The commands of two words that end with this one, such as `task start` for `start`."""
    return [name for name in _summaries() if name.endswith(f" {word}")]


def top_level() -> dict[str, str]:
    """Every first word with its summary: first the verbs in the order of their table, then the other commands."""
    known = _summaries()
    words = dict.fromkeys(name.split()[0] for name in known)
    return {word: known[word] if word in known else _of_group(word) for word in words}


def _summaries() -> dict[str, str]:
    others = {name: text for name, text in OTHER_COMMANDS.items() if name != "hook"}
    return {**{name: row.summary for name, row in VERBS.items()}, **others}


def _of_group(word: str) -> str:
    return f"{word.capitalize()}: {', '.join(below(word))}."


def text() -> str:
    """The whole help of `devs-git`, without a line end."""
    commands = top_level()
    width = max(map(len, (*commands, *OPTIONS)))
    blocks = [f"Usage: devs-git [OPTIONS] COMMAND [ARGS]...\n\n{ABOUT}"]
    for title, rows in (("Options", OPTIONS), ("Commands", commands)):
        blocks.append(
            f"{title}:\n" + "".join(f"  {name:<{width}}  {about}\n" for name, about in rows.items())
        )
    blocks.append(
        "Each command has its own help: devs-git COMMAND --help\n"
        "What a word such as moment or gate means: devs-git help words"
    )
    return "\n".join(blocks)
