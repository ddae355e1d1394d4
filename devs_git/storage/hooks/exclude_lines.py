"""Hide our hooks from `git add -A` if they are in a working tree: each gets a line in `info/exclude`.

The hooks have paths of this machine, so they must not be committed. A hook that is ignored already (in husky's folder)
needs no line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed

_MARK: Final = b"# devs-git: a git hook of this machine\n"


def hide(places: Places, hooks: Iterable[Path]) -> None:
    """Exclude those of `hooks` that git would show as untracked."""
    for hook in hooks:
        # check-ignore fails if GIT_LITERAL_PATHSPECS is set.
        git = Git(hook.parent, {"GIT_LITERAL_PATHSPECS": "0"}, unset=REPOSITORY_VARIABLES)
        try:
            if git.says("check-ignore", "-q", "--", hook.name):
                continue
            top = git.run("rev-parse", "--show-prefix").removesuffix(b"\n")
        # The hook is not in a working tree.
        except GitFailed:
            continue
        _write(places, _read(places) + _MARK + _pattern(top + os.fsencode(hook.name)))


def show(places: Places) -> None:
    """Remove all lines that `hide` added."""
    before = _read(places)
    after = re.sub(re.escape(_MARK) + rb"[^\n]*\n", b"", before)
    if after != before:
        _write(places, after)


def _pattern(path: bytes) -> bytes:
    return b"/" + re.sub(rb"([\\*?\[ ])", rb"\\\1", path) + b"\n"


def _file(places: Places) -> Path:
    return places.common / "info" / "exclude"


def _read(places: Places) -> bytes:
    try:
        return _file(places).read_bytes()
    except FileNotFoundError:
        return b""


def _write(places: Places, data: bytes) -> None:
    path = _file(places)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    path.parent.mkdir(exist_ok=True)
    replace_file(path, data, mode=mode, exact=True)
