"""The scripts that a command names, and the part of such a file that the command runs."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Final

from devs_git.domain.moments import script_text
from devs_git.domain.moments.dangers import Danger, program
from devs_git.domain.moments.shell_words import Command, Word, commands
from devs_git.domain.moments.taking import operands
from devs_git.values import immutable

# Bytes of a script that are read, and how many scripts of one command.
LARGEST: Final = 1 << 20
MOST: Final = 8
_ENDS: Final = (".bash", ".cjs", ".js", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts", ".zsh")
_MAKES: Final = ("gmake", "make")
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_PACKAGES: Final = ("bun", "npm", "pnpm", "yarn")
_SCRIPTS_OF: Final = re.compile(r"run|run-script")


@immutable
class Script:
    """A file that a command runs, relative to the command's folder or absolute.

    `targets`: of a Makefile or of package.json only these parts; empty for the whole file.
    """

    path: str
    targets: tuple[str, ...] = ()


def find_scripts(text: str) -> tuple[Script, ...]:
    """The scripts that a command names, at most `MOST`. Files that do not exist are for the reader to leave out."""
    found: list[Script] = []
    for command in commands(text):
        name, words = program(command)
        if name in _MAKES:
            found += _makefiles(command, words)
        elif name in _PACKAGES:
            found += _package(command, words)
        else:
            found += _files(command, words)
    return tuple(dict.fromkeys(found))[:MOST]


def of_file(script: Script, text: str) -> Danger:
    """What a script may take, given its text."""
    base = posixpath.basename(script.path)
    if base == "package.json":
        return Danger(script_text.takings("\n".join(_package_scripts(text, script.targets))))
    if base in _MAKEFILES or script.targets:
        from devs_git.domain.moments.makefile import recipes

        return Danger(script_text.takings(recipes(text, script.targets)))
    return Danger(script_text.takings(text))


def _files(command: Command, words: Sequence[Word]) -> list[Script]:
    """A program with a folder in its name, words with the ending of a script, and the module of `python -m`."""
    said = [word for word in command.words if word.is_plain]
    paths = [word for word in said if word.text.endswith(_ENDS) or word.text.startswith(("./", "../"))]
    shells = program(command)[0] in ("sh", "bash", "zsh", "dash", "source", ".", "python", "python3")
    texts = [word.text for word in words]
    if shells and not {"-m", "-c"} & set(texts):
        paths += operands(words)[:1]
    found = [Script(path) for word in paths if (path := command.path(word))]
    if "-m" in texts[:-1]:
        module = texts[texts.index("-m") + 1].replace(".", "/")
        found += [
            Script(posixpath.join(command.folder or "", f"{module}{end}")) for end in (".py", "/__main__.py")
        ]
    return found


def _makefiles(command: Command, words: Sequence[Word]) -> list[Script]:
    folder, files, targets = command.folder or "", [], []
    values = iter(words)
    for word in values:
        if word.text in ("-C", "--directory", "-f", "--file", "--makefile"):
            value = next(values, Word("", 0)).text
            if word.text in ("-C", "--directory"):
                folder = posixpath.join(folder, value)
            else:
                files.append(value)
        elif not word.text.startswith("-") and "=" not in word.text:
            targets.append(word.text)
    return [Script(posixpath.join(folder, name), tuple(targets)) for name in files or _MAKEFILES]


def _package(command: Command, words: Sequence[Word]) -> list[Script]:
    given = [word.text for word in operands(words) if not _SCRIPTS_OF.fullmatch(word.text)]
    return [Script(posixpath.join(command.folder or "", "package.json"), tuple(given[:1]))] if given else []


def _package_scripts(text: str, targets: Sequence[str]) -> list[str]:
    try:
        scripts = json.loads(text).get("scripts")
    except (ValueError, AttributeError, RecursionError):
        return []
    if not isinstance(scripts, Mapping):
        return []
    names = [f"{before}{name}" for name in targets for before in ("pre", "", "post")]
    return [scripts[name] for name in names if isinstance(scripts.get(name), str)]
