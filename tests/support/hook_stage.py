"""Install our hooks beside hooks of others. All of them write into a file when they run."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from devs_git.domain.audit.findings import Action
from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import installation

NAMES = (
    "applypatch-msg",
    "commit-msg",
    "post-commit",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
)


@dataclass(frozen=True)
class HookStage:
    """Our hooks in a test. Each hook that runs writes its name into the file `ran`."""

    ran: Path

    def install(self, where: Path, python: str = sys.executable) -> dict[str, Action]:
        return {action.what: action for action in installation.install(locate(where), Git(where), python)}

    def uninstall(self, where: Path) -> dict[str, Action]:
        return {action.what: action for action in installation.uninstall(locate(where), Git(where))}

    def codes(self, where: Path) -> list[str]:
        return [finding.code for finding in installation.status(locate(where), Git(where))]

    def commit(self, where: Path = Path(), *options: str) -> list[str]:
        """Make a commit; what the post-commit hooks wrote."""
        self.ran.unlink(missing_ok=True)
        words = ("git", "commit", "--allow-empty", "-qm", "x", *options)
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = self.ran.read_text().splitlines() if self.ran.exists() else []
        return [line for line in said if "post-commit" in line]


def script(path: Path, text: str = "", mode: int = 0o755) -> Path:
    """A hook of somebody else. By default it writes its name into the file `ran`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or '#!/bin/sh\necho "theirs ${0##*/}" >>"$RAN"\n')
    path.chmod(mode)
    return path


def picture(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Each file below `folder` with its mode and bytes. A link has its target as bytes."""
    return {
        str(p.relative_to(folder)): (
            stat.S_IMODE(p.lstat().st_mode),
            os.fsencode(p.readlink()) if p.is_symlink() else p.read_bytes(),
        )
        for p in folder.rglob("*")
        if p.is_symlink() or p.is_file()
    }
