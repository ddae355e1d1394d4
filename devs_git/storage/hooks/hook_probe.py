"""Check whether git really runs our hooks, by letting git run one that only reads.

The content of a file proves little: the shell in its first line and the Python that it names must work, too. We only run
a hook if every byte of it is ours and it names this Python. We start no other Python, because a hook that came with a
copied folder could name any program.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.text.hook_script import python_of, render
from devs_git.storage.git.children import end_group
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import hooks_folder, installation
from devs_git.storage.hooks.hook_slot import HookSlot

# These hooks only ask whether a gate is open.
_READING: Final = ("pre-merge-commit", "pre-rebase")
_SECONDS: Final = 10.0


def findings(places: Places, git: Git) -> Iterator[Finding]:
    """Find HOOK_NOT_RUN and HOOK_OUTDATED, in a repository whose hooks look right."""
    folder, shipped = hooks_folder.find(places, git), installation.hook_sources()
    found = {name: HookSlot(folder.ours, name) for name in shipped}
    # If husky has overwritten our hooks, the lines in husky's tracked files call the copies in our own folder.
    standing = {
        name: slot if slot.owner == "ours" else HookSlot(hooks_folder.fallback_folder(places), name)
        for name, slot in found.items()
    }
    slots = [found[name] for name in _READING]
    alone = [slot for slot in slots if slot.path.name == slot.name and _is_exactly_ours(slot, shipped)]
    if folder.chained and alone:
        yield from _run_hook(git, alone[0].name)
    for slot in standing.values():
        python = python_of(slot.content(), shipped[slot.name])
        if python and python != sys.executable and not (known := _knows_us(Path(python))):
            yield _other_python(slot.name, known)
            return


def _is_exactly_ours(slot: HookSlot, shipped: dict[str, bytes]) -> bool:
    """Whether every byte is as we write it. The mark in the second line proves nothing: anybody can compute it."""
    return slot.content() == render(shipped[slot.name], sys.executable, chained=False)


def _other_python(name: str, known: bool | None) -> Finding:
    if known is None:
        text = (
            f"The git hook {name} starts another Python than this one. devs-git does not start it to find out whether "
            "devs-git is installed there."
        )
        return Finding("HOOK_OUTDATED", "warning", text, installation.INIT)
    text = f"The Python that the git hook {name} starts does not have devs-git any more."
    return Finding("HOOK_OUTDATED", "error", text, installation.INIT)


def _run_hook(git: Git, name: str) -> Iterator[Finding]:
    """Let git run the hook. With an open gate the hook refuses with GATE_BLOCKED, which also shows that it runs."""
    child = git.start("hook", "run", name)
    try:
        _, said = child.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        end_group(child)
        said = b"it did not end"
    if child.returncode and b"devs-git: GATE_BLOCKED: " not in said:
        words = said.decode("utf-8", "replace").strip().splitlines()
        text = f"git does not run the hook {name}: {words[-1] if words else f'exit {child.returncode}'}"
        yield Finding("HOOK_NOT_RUN", "error", text.replace(os.fspath(git.where) + "/", ""), _fix(name))


def _fix(name: str) -> str:
    return f"Read the error of git: git hook run {name}; then: {installation.INIT}"


def _knows_us(python: Path) -> bool | None:
    """Whether devs-git is installed in the virtual environment of an interpreter; None if it is in no such environment."""
    home = python.parent.parent
    if not (home / "pyvenv.cfg").is_file():
        return None
    return any(home.glob("lib*/python*/site-packages/devs_git*"))
