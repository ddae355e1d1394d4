"""Refs whose file git cannot read, for example after a loss of power, and refs whose lock a killed git left; the way back.

git omits a ref that it cannot read, with a warning, and does not overwrite it. A fetch or push fails at it.
"""

from __future__ import annotations

import contextlib
import itertools
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


# Seconds after which the lock of a ref is an old one: git holds it for as long as it writes refs.
_OLD: Final = 600


def findings(common: Path, objects: Objects, now: float) -> Iterator[Finding]:
    """REF_BROKEN for each ref that git cannot read, except for the ledger, which `known_tips.ledger_gone` reports; REF_LOCKED
    once for all old locks. `now`: seconds since 1970.
    """
    if locks := sorted(_old_locks(common, now)):
        yield _locked(locks)
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


def _old_locks(common: Path, now: float) -> Iterator[str]:
    paths = itertools.chain([common / "packed-refs.lock"], (common / "refs").rglob("*.lock"))
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            if now - path.lstat().st_mtime > _OLD:
                yield os.fspath(path.relative_to(common))


def _locked(locks: list[str]) -> Finding:
    """git makes a lock for each ref of a transaction first, so that there may be thousands."""
    shown = locks[0] + (f" and {len(locks) - 1} more" if len(locks) > 1 else "")
    text = f"A git that was killed left locks of refs: {shown}. No git can change these refs."
    old = f"-name '*.lock' -mmin +{_OLD // 60}"
    way = f'If no git is running: cd "$(git rev-parse --git-common-dir)" && find refs packed-refs* {old} -delete'
    return Finding("REF_LOCKED", "warning", text, way)


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
