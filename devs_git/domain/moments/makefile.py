"""The lines of a Makefile that a call of `make` runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_RULE: Final = re.compile(r"^([^\s#:=][^:=]*):(?![=])([^=\n]*)$")
_MAKE: Final = re.compile(r"\$[({]MAKE[)}]\s+([\w.-]+)")


def recipes(text: str, targets: Sequence[str]) -> str:
    """The lines that these targets run, with those of the targets that they need; all lines if a target is not there.

    Without targets it is the first one.
    """
    needs, lines = _rules(text)
    first = next((name for name in needs if not name.startswith(".")), "")
    waiting, done = list(targets) or [first], list[str]()
    if not all(name in needs for name in waiting):
        return text
    while waiting:
        name = waiting.pop(0)
        if name in needs and name not in done:
            done.append(name)
            waiting += [*needs[name], *_MAKE.findall("\n".join(lines[name]))]
    return "\n".join(line for name in done for line in lines[name])


def _rules(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What each target needs, and its lines."""
    needs: dict[str, list[str]] = {}
    lines: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        rule = _RULE.match(line)
        if rule:
            needed, _, first = rule[2].partition(";")
            current = rule[1].split()
            for name in current:
                needs.setdefault(name, []).extend(needed.split())
                lines.setdefault(name, []).extend([first] if first else [])
        elif line.startswith("\t"):
            for name in current:
                lines[name].append(line[1:])
    return needs, lines
