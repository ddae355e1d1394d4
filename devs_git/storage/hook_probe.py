"""Whether git really runs our hooks here: asked of git, by letting it run one that only reads.

What a file looks like proves little: the program that git starts, the shell in its first line and the interpreter in it
must work as well. A hook beside which somebody else's is called is never run for a trial.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from devs_git.domain.hook_text import is_chained, python_of
from devs_git.domain.report import Finding
from devs_git.storage import hook_files, hook_folder
from devs_git.storage.git_program import Git, end_group
from devs_git.storage.hook_slot import HookSlot
from devs_git.storage.places import Places

_READING: Final = ("pre-merge-commit", "pre-rebase")  # they ask whether a gate is open, and nothing else
_SECONDS: Final = 10.0


def findings(places: Places, git: Git) -> Iterator[Finding]:
    """HOOK_NOT_RUN, HOOK_OUTDATED; for a repository whose hooks look all right."""
    folder = hook_folder.find(places, git)
    slots = [HookSlot(folder.ours, name) for name in _READING]
    alone = [slot for slot in slots if slot.path.name == slot.name and not is_chained(slot.content())]
    if folder.chained and alone:
        yield from _tried(git, alone[0].name)
    shipped = hook_files.shipped()
    for slot in (HookSlot(folder.ours, name) for name in shipped):
        python = python_of(slot.content(), shipped[slot.name])
        if python and python != sys.executable and not _starts(python):
            text = f"The Python that the git hook {slot.name} starts does not know devs-git any more."
            yield Finding("HOOK_OUTDATED", "error", text, hook_files.INIT)
            return


def _tried(git: Git, name: str) -> Iterator[Finding]:
    """Exit 0: git ran it, and nothing is open. Where a gate is, it refuses and says so."""
    child = git.start("hook", "run", name)
    try:
        _, said = child.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        end_group(child)
        said = b"it did not end"
    if child.returncode and b"devs-git: GATE_BLOCKED: " not in said:
        words = said.decode("utf-8", "replace").strip().splitlines()
        text = f"git does not run the hook {name}: {words[-1] if words else f'exit {child.returncode}'}"
        yield Finding("HOOK_NOT_RUN", "error", text.replace(os.fspath(git.where) + "/", ""), _mend(name))


def _mend(name: str) -> str:
    return f"See what git says: git hook run {name}; then: {hook_files.INIT}"


def _starts(python: str) -> bool:
    words = [python, "-P", "-c", "import devs_git"]
    try:
        return subprocess.run(words, capture_output=True, check=False, timeout=_SECONDS).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
