"""Refs whose file git cannot read, for example after a loss of power, and how to repair each.

git omits such a ref with a warning and does not overwrite it. A fetch or push fails at it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.domain.ledger.ids import OID_FORM, is_oid
from devs_git.storage.git import refs
from devs_git.storage.git.objects import Objects

_SOUND: Final = re.compile(rb"(?!0{40})%b\s*|ref: \S.*\s*" % OID_FORM.encode(), re.DOTALL)


def findings(common: Path, objects: Objects) -> Iterator[Finding]:
    """REF_BROKEN for each, except for the ledger, which `known_tips.ledger_gone` reports."""
    for name in _broken(common):
        if name != LEDGER:
            text = f"The file of the ref {name} is damaged; git fetch and git push may fail."
            yield Finding("REF_BROKEN", "error", text, _way_back(common, objects, name), name)


def _broken(common: Path) -> Iterator[str]:
    for folder, _, files in os.walk(common / "refs"):
        for file in sorted(files):
            path = Path(folder, file)
            if not file.endswith(".lock") and not _is_sound(path):
                yield os.fspath(path.relative_to(common))


def _is_sound(path: Path) -> bool:
    try:
        return _SOUND.fullmatch(path.read_bytes()) is not None
    except FileNotFoundError:
        # Somebody deleted or packed it meanwhile.
        return True


def _way_back(common: Path, objects: Objects, name: str) -> str:
    """The commands that delete its file, which git does not overwrite, and restore its value from the reflog or a remote."""
    ref = shlex.quote(name)
    away = f'rm "$(git rev-parse --git-path {ref})"'
    last = next(refs.reflog(common, name), "")
    if is_oid(last) and last != NO_OID and objects.exists(last):
        return f"{away} && git update-ref {ref} {last} ''"
    return f"{away}, then fetch it again from a remote: git fetch, and devs-git sync"
