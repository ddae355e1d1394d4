"""Put our git hooks in, take them out, and say what is wrong with them.

What the hooks do stands in `hooks/`; where they go in `hook_folder`, what happens to a hook that stood there in
`hook_slot`.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from devs_git.domain.hook_text import call_line, calls_ours, is_chained, render
from devs_git.domain.report import Action, Finding, Severity
from devs_git.errors import DevsError
from devs_git.storage import hook_excludes, hook_folder, hook_slot, resources
from devs_git.storage.git_program import Git
from devs_git.storage.hook_folder import HookFolder
from devs_git.storage.hook_slot import HookSlot
from devs_git.storage.places import Places

INIT: Final = "devs-git init"


def shipped() -> dict[str, bytes]:
    """The hooks of this version: name and source."""
    files = resources.folder("hooks").iterdir()
    return {p.name: p.read_bytes() for p in sorted(files) if p.is_file() and "." not in p.name}


def install(places: Places, git: Git, python: str = sys.executable) -> tuple[Action, ...]:
    """Install every hook; what stood there is kept and called. INVALID_ARGUMENTS where the folder is read-only."""
    folder = hook_folder.find(places, git)
    sources = shipped()
    with _clear_refusal(folder):
        folder.ours.mkdir(parents=True, exist_ok=True)
        retired = (name for name in hook_slot.names(folder.ours) if name not in sources)
        gone = [_take_out(HookSlot(folder.ours, name)) for name in retired]
        done = [_put_in(HookSlot(folder.ours, name), source, python) for name, source in sources.items()]
        if folder.kind == "untracked":
            hook_excludes.hide(places, (HookSlot(folder.ours, name).path for name in sources))
    return (*gone, *done, *(_line_to_add(folder, name) for name in _uncalled(folder, sources)))


def uninstall(places: Places, git: Git) -> tuple[Action, ...]:
    """Take out exactly what `install` put in, also where it was put before core.hooksPath changed."""
    asked = hook_folder.find(places, git)
    folders = dict.fromkeys((asked.ours, hook_folder.own(places), hook_folder.aside(places)))
    with _clear_refusal(asked):
        done = [_take_out(HookSlot(folder, name)) for folder in folders for name in hook_slot.names(folder)]
        for folder in folders:
            with contextlib.suppress(OSError):  # not empty, or not there
                folder.rmdir()
        hook_excludes.show(places)
    return tuple(done)


def status(places: Places, git: Git, python: str = sys.executable) -> tuple[Finding, ...]:
    """What is wrong with the hooks, and the command that mends it; nothing where all is well."""
    folder = hook_folder.find(places, git)
    found: list[Finding] = []
    sources = shipped()
    for name, source in sources.items():
        found += _Look(folder, HookSlot(folder.ours, name), source, python).findings()
    return (*found, *(_line_finding(folder, name) for name in _uncalled(folder, sources)))


def _put_in(slot: HookSlot, source: bytes, python: str) -> Action:
    found, what, odd = slot.owner, f"hook {slot.name}", ""
    if found == "edited":
        return Action(what, "skipped", "it was changed after it was installed, and is left alone")
    if slot.path.is_dir():
        return Action(what, "skipped", "a folder stands in its place")
    for stray in slot.strays():
        stray.unlink()
    if found in {"foreign", "framework"}:
        odd = slot.keep()
    wanted = render(source, python, chained=os.path.lexists(slot.kept))
    if found == "ours" and slot.content() == wanted and slot.path.stat().st_mode & 0o777 == hook_slot.MODE:
        return Action(what, "kept")
    slot.put(wanted)
    return Action(what, "updated" if found == "ours" else "created", odd)


def _take_out(slot: HookSlot) -> Action:
    what = f"hook {slot.name}"
    if slot.owner == "edited":
        return Action(what, "skipped", "it was changed after it was installed, and is left alone")
    ours = [*slot.strays(), *([slot.path] if slot.owner == "ours" else [])]
    for path in ours:
        path.unlink()
    odd = slot.give_back()
    return Action(what, "removed" if ours or odd else "kept", odd)


@dataclass(frozen=True)
class _Look:
    """One hook, looked at."""

    folder: HookFolder
    slot: HookSlot
    source: bytes
    python: str

    def findings(self) -> Iterator[Finding]:
        found, where = self.slot.owner, f"{self.folder.name}/{self.slot.path.name}"
        if found is None:
            yield self._finding("HOOK_MISSING", f"The git hook {self.slot.name} is not installed.")
        elif found == "edited":
            path = f'"$(git rev-parse --git-path hooks)"/{self.slot.path.name}'
            text = f"The git hook {where} was changed after it was installed; it is left alone."
            yield self._finding("HOOK_EDITED", text, f"mv {path} {path}.edited && {INIT}", "warning")
        elif found != "ours":
            yield self._finding("HOOK_MISSING", f"Another hook stands at {where}, and ours is not called.")
        else:
            yield from self._ours(where)

    def _ours(self, where: str) -> Iterator[Finding]:
        content, kept = self.slot.content(), os.path.lexists(self.slot.kept)
        if not os.access(self.slot.path, os.X_OK):
            yield self._finding(
                "HOOK_MISSING", f"The git hook {where} is not executable, and git ignores it."
            )
        if is_chained(content) and not kept:
            text = f"The hook that {where} was to call, {self.slot.kept.name}, is gone."
            yield self._finding("HOOK_KEPT_MISSING", text, severity="warning")
        elif content != render(self.source, self.python, chained=kept):
            text = f"The git hook {where} was installed by another version or for another Python."
            yield self._finding("HOOK_OUTDATED", text, severity="warning")

    @staticmethod
    def _finding(code: str, message: str, fix: str = INIT, severity: Severity = "error") -> Finding:
        return Finding(code, severity, message, fix)


def _uncalled(folder: HookFolder, names: Iterable[str]) -> tuple[str, ...]:
    """The hooks that git asks for in a folder where ours do not stand and no line calls them."""
    if folder.chained:
        return ()
    return tuple(names)[:1] if folder.kind == "none" else tuple(n for n in names if not _called(folder, n))


def _called(folder: HookFolder, name: str) -> bool:
    path = folder.asked / name
    return path.is_file() and os.access(path, os.X_OK) and calls_ours(path.read_bytes(), name)


def _where(folder: HookFolder, name: str) -> str:
    """The file for the line, in words that a shell reads; it never shows a path outside the repository."""
    if folder.kind == "outside":
        return f'"$(git rev-parse --git-path hooks)"/{name}'
    return shlex.quote(f"{folder.name}/{name}")


def _line_to_add(folder: HookFolder, name: str) -> Action:
    if folder.kind == "none":
        return Action("hooks", "skipped", f"{_reason(folder)} Run: {_command(folder, name)}")
    detail = f"{_reason(folder)} Add to {_where(folder, name)}: {call_line(name)}"
    return Action(f"hook {name}", "skipped", detail)


def _line_finding(folder: HookFolder, name: str) -> Finding:
    return Finding(
        "HOOK_NOT_CALLED",
        "error",
        f"git does not call our hook {name}: {_reason(folder)}",
        _command(folder, name),
    )


def _reason(folder: HookFolder) -> str:
    if folder.kind == "none":
        return f"core.hooksPath ({folder.scope}) names no folder, so that git runs no hook at all."
    if folder.kind == "tracked":
        return f"{folder.name} is tracked, so we do not write there."
    return "the folder for hooks lies outside this repository, so we do not write there."


def _command(folder: HookFolder, name: str) -> str:
    """The shell command that adds the line, or that makes git look for hooks again."""
    if folder.kind == "none":
        return f"git config --{folder.scope} --unset-all core.hooksPath"
    path, line, where = folder.asked / name, call_line(name), _where(folder, name)
    there = path.is_file()
    lines = [] if there and calls_ours(path.read_bytes(), name) else [line] if there else ["#!/bin/sh", line]
    add = f"printf '%s\\n' {' '.join(map(shlex.quote, lines))} >>{where} && " if lines else ""
    return f"{add}chmod +x {where}"


@contextlib.contextmanager
def _clear_refusal(folder: HookFolder) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DevsError(
            "INVALID_ARGUMENTS",
            f"The folder for git hooks ({folder.name}) cannot be written: {error.strerror}.",
            hint=f"Make it a folder that you may write to, then run: {INIT}",
            field="repository",
        ) from error


__all__ = ["install", "shipped", "status", "uninstall"]
