"""The line with which another program's hook calls ours, if we may not write into git's folder for hooks."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from devs_git.domain.audit.findings import Action, Finding
from devs_git.domain.text.hook_script import call_line, calls_ours
from devs_git.storage.hooks.hooks_folder import HookFolder


def find_uncalled(folder: HookFolder, names: Iterable[str]) -> tuple[str, ...]:
    """Find the hooks that git does not call: ours are not in git's folder, and no line there calls them."""
    if folder.chained:
        return ()
    return tuple(names)[:1] if folder.kind == "none" else tuple(n for n in names if not _is_called(folder, n))


def _is_called(folder: HookFolder, name: str) -> bool:
    path = folder.asked / name
    return path.is_file() and os.access(path, os.X_OK) and calls_ours(path.read_bytes(), name)


def in_husky(folder: HookFolder, name: str) -> bool:
    """Whether husky's tracked file for this hook calls ours. husky runs it with `sh`, so it need not be executable."""
    path = folder.husky / name if folder.husky else None
    return path is not None and path.is_file() and calls_ours(path.read_bytes(), name)


def husky_advice(folder: HookFolder, names: list[str]) -> Action:
    """What `init` prints if husky is used: the command that adds our line to each of husky's tracked files."""
    where = shlex.quote(os.path.dirname(folder.name) or ".")  # noqa: PTH120 - as it is configured
    command = (
        f"for hook in {' '.join(names)}; do printf {shlex.quote(chr(92) + 'n' + call_line('%s') + chr(92) + 'n')} "
        f'"$hook" >>{where}/"$hook"; done; git add {where}'
    )
    text = (
        f"husky overwrites {folder.name} at each npm install, and deletes our hooks there until devs-git init runs "
        f"again. To keep them, add our line to husky's tracked files: {command}"
    )
    return Action("lines for husky", "skipped", text)


def _where(folder: HookFolder, name: str) -> str:
    """The file for the line, quoted for a shell. It never shows a path outside the repository."""
    if folder.kind == "outside":
        return f'"$(git rev-parse --git-path hooks)"/{name}'
    return shlex.quote(f"{folder.name}/{name}")


def line_to_add(folder: HookFolder, name: str) -> Action:
    """What `init` prints for a hook that git does not call: the file, and the line to add to it."""
    if folder.kind == "none":
        return Action("hooks", "skipped", f"{_reason(folder)} Run: {_command(folder, name)}")
    detail = f"{_reason(folder)} Add to {_where(folder, name)}: {call_line(name)}"
    return Action(f"hook {name}", "skipped", detail)


def finding(folder: HookFolder, name: str) -> Finding:
    """What `doctor` finds for a hook that git does not call."""
    return Finding(
        "HOOK_NOT_CALLED",
        "error",
        f"git does not call our hook {name}: {_reason(folder)}",
        _command(folder, name),
    )


def _reason(folder: HookFolder) -> str:
    if folder.kind == "none":
        return f"core.hooksPath ({folder.scope}) does not name a folder, so git runs no hooks at all."
    if folder.kind == "tracked":
        return f"{folder.name} is tracked, so we do not write there."
    return "the folder for hooks is outside this repository, so we do not write there."


def _command(folder: HookFolder, name: str) -> str:
    """The shell command that adds the line, or that unsets a bad core.hooksPath."""
    if folder.kind == "none":
        unset = folder.scope in {"system", "global", "local", "worktree"}
        return (
            f"git config --{folder.scope} --unset-all core.hooksPath" if unset else "unset GIT_CONFIG_COUNT"
        )
    where = _where(folder, name)
    lines = " ".join(map(shlex.quote, _missing_lines(folder.asked / name, name)))
    made = "" if folder.asked.is_dir() else f'mkdir -p "$(dirname {where})" && '
    return made + (f"printf '%s\\n' {lines} >>{where} && " if lines else "") + f"chmod +x {where}"


def _missing_lines(path: Path, name: str) -> list[str]:
    if not path.is_file():
        return ["#!/bin/sh", call_line(name)]
    content = path.read_bytes()
    if calls_ours(content, name):
        return []
    return [call_line(name)] if content.endswith(b"\n") else ["", call_line(name)]
