"""docs/commands.md: each command of the command line, made of the verb table and the commands' own help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from devs_git.domain.verbs import CHANGES, DESTROYS, OTHER_COMMANDS, READS, VERBS, Verb
from devs_git.entrypoints.cli import overview
from devs_git.entrypoints.cli.main import cli, command
from devs_git.entrypoints.tools.table import TOOLS

# Only the installed hooks call `hook`.
NAMES: Final = (*VERBS, *(name for name in OTHER_COMMANDS if name != "hook"))
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "Set up": (
        "init",
        "doctor",
        "agent install",
        "agent list",
        "aliases install",
        "aliases uninstall",
        "completion",
    ),
    "Tasks and checkpoints": (
        "task start",
        "task complete",
        "task result",
        "task status",
        "task switch",
        "task abandon",
        "checkpoint",
    ),
    "Contracts and phases": ("contract start", "contract show", "phase set"),
    "Directives": ("directive add", "directive list", "directive withdraw"),
    "Go on": ("resume",),
    "Look": ("status", "log", "show", "diff", "history", "why"),
    "Go back": ("rewind", "undo", "drop", "restore", "branch", "fork", "checkout"),
    "Snapshots": ("snapshot create", "snapshot list", "snapshot open", "snapshot prune"),
    "Gates": ("gate request", "gate list", "gate show", "gate approve", "gate reject", "gate wait"),
    "Traces": (
        "trace put",
        "trace get",
        "trace list",
        "trace search",
        "trace ingest",
        "trace export",
        "trace import",
        "trace prune",
    ),
    "Conversations": (
        "conversation show",
        "conversation import",
        "conversation rewind",
        "conversation snapshot",
        "conversation snapshots",
    ),
    "Remotes and rewritten histories": ("sync", "history-rewritten"),
    "Check and clean": ("verify", "report", "du", "archive", "prune", "purge"),
    "Servers for agents": ("mcp", "serve"),
    "Learn": ("demo", "help"),
}
COMMON: Final = ("as_json", "repo", "yes")  # described once, at the top
HEAD: Final = """\
# Commands

This page is generated from the table of verbs and from the help of each command: `make pages` writes it, and a test
compares it. `devs-git COMMAND --help` prints the same text in the terminal. `git devs COMMAND` runs the same command.

The sections below do not repeat these options. Most commands take the first two. Commands that change something take
all three:
"""
_TIERS: Final = {
    READS: "Reads only.",
    CHANGES: "Changes state, but deletes nothing that you could return to.",
    DESTROYS: "Deletes for good. Without a terminal it needs `--yes`.",
}
# Rules of verbs that their tier does not express.
_INSTEAD: Final = {
    "doctor": "Reads only, unless `--finish` or `--take-back` decides about an interrupted operation."
}


def page() -> str:
    """The page. ValueError names the commands that are in no group or in two, or that do not exist."""
    listed = [name for names in GROUPS.values() for name in names]
    if sorted(listed) != sorted(NAMES):
        odd = sorted({*listed} ^ {*NAMES}) or sorted({name for name in listed if listed.count(name) > 1})
        raise ValueError(f"Each command must be in one group of tests/pages/commands.py: {', '.join(odd)}")
    return "\n".join((*_head(), *_index(), *_sections()))


def _head() -> Iterator[str]:
    yield HEAD
    yield from _options(param for param in _click("task start").params if param.name in COMMON)
    alone = ", ".join(f"`devs-git {option.rpartition(' ')[2]}`" for option in overview.OPTIONS)
    yield f"\nWithout a command: {alone}."
    yield "Each exit status and each error code has its text in [troubleshooting](troubleshooting.md).\n"


def _index() -> Iterator[str]:
    for title, names in GROUPS.items():
        yield f"\n**{title}**\n"
        yield from (f"- [`{name}`](#{_anchor(name)}): {_prose(_summary(name))}" for name in names)


def _sections() -> Iterator[str]:
    for title, names in GROUPS.items():
        yield f"\n## {title}"
        for name in names:
            yield from _section(name)


def _section(name: str) -> Iterator[str]:
    found = _click(name)
    root = click.Context(cli, info_name="devs-git")
    usage = " ".join(found.collect_usage_pieces(click.Context(found, info_name=name, parent=root)))
    about, _, example = (found.help or "").partition("Example:\n")
    paragraphs = [" ".join(part.split()) for part in about.replace("\b", "").split("\n\n") if part.strip()]
    yield f"\n### {name}\n"
    yield "\n\n".join(map(_prose, paragraphs))
    yield f"\n```\ndevs-git {name} {usage}\n```\n"
    own = list(_options(param for param in found.params if param.name not in COMMON))
    yield from (*own, "") if own else ()
    if name in VERBS:
        yield _rules(VERBS[name]) + "\n"
    lines = "\n".join(line.strip() for line in example.strip("\n").splitlines())
    yield f"```sh\n{lines}\n```"


def _rules(verb: Verb) -> str:
    """What the verb may change, whether an open gate refuses it, and which tools call it."""
    frozen = (
        "works"
        if verb.runs_while_frozen
        else "is refused with [`GATE_BLOCKED`](troubleshooting.md#gate_blocked)"
    )
    tools = [
        f"[`{tool.name}`](tools.md#{tool.name})" for tool in TOOLS.values() if tool.verb_name == verb.name
    ]
    limit = f" It takes at most {verb.seconds:g} seconds." if verb.seconds else ""
    called = f" Tool for agents: {', '.join(tools)}." if tools else ""
    return f"{_INSTEAD.get(verb.name, _TIERS[verb.tier])} While a gate is open, it {frozen}.{limit}{called}"


def _click(name: str) -> click.Command:
    found = command(name)
    assert found is not None, name
    return found


def _summary(name: str) -> str:
    return VERBS[name].summary if name in VERBS else OTHER_COMMANDS[name]


def _options(params: Iterator[click.Parameter]) -> Iterator[str]:
    context = click.Context(click.Command("devs-git"))
    for param in params:
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record:
            yield f"- `{record[0]}`: {_prose(record[1])}"


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _prose(text: str) -> str:
    """A text of the help as Markdown shows it: nothing in it is a tag, a link or emphasis."""
    return " ".join(text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").split())
