"""Translate the texts of refusals for callers of tools: commands become tools, options become arguments.

`--untracked save` becomes `untracked="save"`, and `devs-git undo` becomes `undo_rewind`. A command without a tool is not
translated: it is for a shell, or for a person.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

import click

from devs_git.entrypoints.cli.main import command
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Param, Tool

# Verbs without a tool of their own, and the tool that does the same.
_INSTEAD: Final = {"trace list": "search_traces"}
# A command of devs-git or git, up to the punctuation at its end.
_COMMAND: Final = re.compile(r"\b(devs-git|git) [^\s;,()&]+(?:(?<![.:]) [^\s;,()&…]+)*")
_OPTION: Final = re.compile(r"(?<!\S)(--[a-z][a-z-]*)(?: ([a-z]+))?")


def translate_answer(tool: Tool, value: dict[str, Any]) -> dict[str, Any]:
    """An error's envelope, or the result of a dry run, with its texts translated for callers of `tool`."""
    changed = {
        key: translate_text(tool, value[key])
        for key in ("message", "hint")
        if isinstance(value.get(key), str)
    }
    inner = [translate_answer(tool, one) for one in value.get("blocked_by") or ()]
    return {**value, **changed, **({"blocked_by": inner} if inner else {})}


def translate_text(tool: Tool, text: str) -> str:
    """One text of the command line, translated for callers of `tool`."""
    parts, at = [], 0
    for found in _COMMAND.finditer(text):
        parts += [_options(tool, text[at : found.start()]), _command(tool, found[0])]
        at = found.end()
    return "".join([*parts, _options(tool, text[at:])])


def _command(tool: Tool, text: str) -> str:
    """The call of a tool that does the same as the command; the command itself if there is none."""
    bare = text.rstrip(".:")
    words = _words(bare)
    if words is None or words[0] != "devs-git":
        return text
    dry = "--dry-run" in words
    for verb in (" ".join(words[1:3]), words[1]):
        called = _tool_of(verb, tool, dry=dry)
        given = _arguments(called, verb, words[1 + len(verb.split()) :]) if called else None
        if called and given is not None:
            values = ", ".join(f"{name}={value}" for name, value in given.items())
            return (f"{called.name}({values})" if values else called.name) + text[len(bare) :]
    return text


def _words(text: str) -> list[str] | None:
    try:
        found = shlex.split(text)
    except ValueError:
        return None
    return found if len(found) > 1 else None


def _tool_of(verb: str, tool: Tool, *, dry: bool) -> Tool | None:
    """The tool of this verb, preferably one for a `dry` run alone if it is one, and then the one that was called."""
    found = [one for one in (tool, *TOOLS.values()) if one.verb_name == verb and dry >= one.is_dry_run]
    found.sort(key=lambda one: one.is_dry_run, reverse=True)
    return found[0] if found else TOOLS.get(_INSTEAD.get(verb, ""))


def _arguments(tool: Tool, verb: str, words: list[str]) -> dict[str, str] | None:
    """The words of a command as arguments of the tool; None if it lacks one of these arguments."""
    known = command(verb)
    if known is None:
        return None
    places = iter(one for one in known.params if isinstance(one, click.Argument))
    given, rest = dict[str, str](), iter(words)
    for word in rest:
        option = _option(known, word) if word.startswith("-") else next(places, None)
        if option is None:
            return None
        flag = isinstance(option, click.Option) and option.is_flag
        value = "true" if flag else json.dumps(next(rest, "") if word.startswith("-") else word)
        param = _param(tool, option)
        if param:
            given[param.name] = value
        elif option.name not in (*tool.fixed, "as_json"):
            return None
    return given


def _options(tool: Tool, text: str) -> str:
    """Replace options of the tool's verb by its arguments."""
    known = command(tool.verb_name)

    def name_argument(found: re.Match[str]) -> str:
        option = _option(known, found[1]) if known else None
        param = _param(tool, option) if option else None
        if param is None or option is None:
            return found[0]
        if option.is_flag:
            return param.name + (f" {found[2]}" if found[2] else "")
        return f'{param.name}="{found[2]}"' if found[2] else param.name

    return _OPTION.sub(name_argument, text)


def _option(known: click.Command, word: str) -> click.Option | None:
    return next((one for one in _its_options(known) if word in one.opts), None)


def _its_options(known: click.Command) -> Iterator[click.Option]:
    return (one for one in known.params if isinstance(one, click.Option))


def _param(tool: Tool, option: click.Parameter) -> Param | None:
    return next((one for one in tool.params if option.name in (one.target, one.name)), None)
