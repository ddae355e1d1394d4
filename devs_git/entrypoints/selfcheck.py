"""`verify registry` and `verify guard`: they check devs-git itself, as it is installed here.

`registry` compares the verb table with the commands and entry points, and all tables with a list written by hand.
`guard` uses no table: it makes a repository with an open gate and calls every verb and every tool there. Those that write
must answer GATE_BLOCKED, and none may change HEAD, a branch, a tag, the index or a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import click

import devs_git.commands
from devs_git.domain.audit.findings import Finding
from devs_git.domain.verbs import CHANGES, DESTROYS, OTHER_COMMANDS, VERBS
from devs_git.entrypoints import cli, public_surface
from devs_git.entrypoints.cli.groups import FILES
from devs_git.entrypoints.cli.main import command
from devs_git.entrypoints.http.routes import ROUTES
from devs_git.entrypoints.scratch_repository import Scratch, frozen_repository
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import CODES
from devs_git.values import fields

_PERSONS: Final = ("gate approve", "gate reject", "directive add")  # no tool of agents may do these
_FAULT: Final = "This is a fault of the installed devs-git. Nothing in your repository causes it."


def registry() -> tuple[Finding, ...]:
    """Findings where verbs, commands, modules, tools and routes do not belong together, or differ from the written list."""
    return tuple(
        Finding("VERB_UNLISTED", "error", text, _FAULT)
        for text in (*_missing(), *_modules(), *_commands(), *_tools(), *_promises())
    )


def _missing() -> Iterator[str]:
    for name, row in VERBS.items():
        if row.name != name:
            yield f"The verb table has {row.name!r} under the name {name!r}."
        try:
            module = importlib.import_module(row.module)
        except ImportError:
            yield f"'{name}' is in the verb table, but has no module."
        else:
            lacks = [part for part in ("Request", "run", "Result") if not hasattr(module, part)]
            yield from (f"'{name}' has no {part}." for part in lacks)
        if "cli" in row.entry_points and command(name) is None:
            yield f"'{name}' is in the verb table, but is no command of the command line."
    for name in FILES:
        if not any(f"{known} ".startswith(f"{name} ") for known in (*VERBS, *OTHER_COMMANDS)):
            yield f"The command line has '{name}', which is not in the verb table."


def _modules() -> Iterator[str]:
    known = {row.module.rpartition(".")[2] for row in VERBS.values()}
    for found in pkgutil.iter_modules(devs_git.commands.__path__):
        if found.name not in known:
            yield f"commands/{found.name}.py is not in the verb table."


def _commands() -> Iterator[str]:
    """Commands that a file of the command line defines and that are not in the table."""
    known = {name.replace(" ", "_").replace("-", "_") for name in (*VERBS, *OTHER_COMMANDS)}
    for found in pkgutil.iter_modules(cli.__path__):
        module = importlib.import_module(f"{cli.__name__}.{found.name}")
        for name, value in vars(module).items():
            if isinstance(value, click.Command) and not isinstance(value, click.Group) and name not in known:
                yield f"The command '{name}' of cli/{found.name}.py is not in the verb table."


def _tools() -> Iterator[str]:
    """Tools whose verb or argument does not exist, or that do what only a person may do."""
    for name, tool in TOOLS.items():
        row = VERBS.get(tool.verb_name)
        if row is None or tool.name != name:
            yield f"The tool '{name}' has no verb in the table."
            continue
        if row.tier >= DESTROYS or row.name in _PERSONS:
            yield f"The tool '{name}' does what only a person may do."
        known = fields(importlib.import_module(row.module).Request)
        for field in (*(one.target for one in tool.params if not one.worktree), *tool.fixed):
            if field not in known:
                yield f"The tool '{name}' sets {field}, which '{row.name}' does not have."


def _promises() -> Iterator[str]:
    """Differences between the written list and the tables."""
    frozen = {True: "works while frozen", False: "refused while frozen"}
    verbs = {name: f"tier {row.tier}, {frozen[row.runs_while_frozen]}" for name, row in VERBS.items()}
    tools = {name: tool.command for name, tool in TOOLS.items()}
    routes = {f"{one.method} {one.path}": one.tool_name for one in ROUTES}
    yield from _differences("verb", public_surface.VERBS, verbs)
    yield from _differences(
        "command", public_surface.OTHER_COMMANDS, dict.fromkeys(OTHER_COMMANDS, "a command that is no verb")
    )
    yield from _differences("tool", public_surface.TOOLS, tools)
    yield from _differences("route", public_surface.ROUTES, routes)


def _differences(what: str, listed: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    for name, kind in listed.items():
        if name not in there:
            yield f"The {what} '{name}' is on the written list, but does not exist."
        elif there[name] != kind:
            yield f"The {what} '{name}' is on the written list as {kind}, but is {there[name]}."
    for name in there:
        if name not in listed:
            yield f"The {what} '{name}' exists, but is not on the written list."


def guard() -> tuple[Finding, ...]:
    """Run every verb and every tool while a gate is open. Findings for those that are not refused."""
    with frozen_repository() as scratch:
        return tuple(
            Finding("VERB_UNGUARDED", "error", text, _FAULT)
            for name, refused, call in _calls(scratch)
            for text in _failures(name, refused, call, scratch)
        )


def _calls(scratch: Scratch) -> Iterator[tuple[str, bool, Callable[[], str]]]:
    """Each verb and tool, whether an open gate has to refuse it, and its call."""
    for name, row in VERBS.items():
        made = command(name) if "cli" in row.entry_points else None
        if made is not None:
            yield name, row.tier >= CHANGES and not row.runs_while_frozen, partial(scratch.call, name, made)
    for name, tool in TOOLS.items():
        refused = tool.tier >= CHANGES and not tool.runs_while_frozen
        yield f"{name} (a tool)", refused, partial(scratch.use, tool)


def _failures(name: str, refused: bool, call: Callable[[], str], scratch: Scratch) -> Iterator[str]:
    before = scratch.state()
    answer = call()
    if refused and answer != "GATE_BLOCKED":
        outcome = f"answers {answer}" if answer in CODES else f"is not refused ({answer or 'it ran'})"
        yield f"'{name}' {outcome} while a gate is open."
    if scratch.state() != before:
        yield f"'{name}' changes the repository while a gate is open."
