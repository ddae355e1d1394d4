"""Commands run by a real shell, with what the hook does before and after them."""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.domain.moments.warned import Warned
from devs_git.operations.moments import net, net_loss
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.moments import last_moment, make_moment
from devs_git.workspace import Workspace

Picture = dict[str, tuple[int, bytes] | str]


@dataclass
class Net:
    """A worktree with the net below its commands."""

    top: Path
    warned: Warned = field(default_factory=Warned)

    def run(self, command: str, *, where: Path | None = None) -> tuple[str, ...]:
        """Run a command as an agent does; the lines of what is gone then."""
        workspace = Workspace.open(self.top)
        occasion = self.occasion("call", command)
        self.warned = net.before_command(workspace, occasion, command, os.fspath(where or self.top))
        before = last_moment.read(workspace.places).id
        subprocess.run(["bash", "-c", command], cwd=where or self.top, check=False, capture_output=True)
        if self.top.is_dir():
            after = make_moment.make(maker_of(workspace), self.occasion("after", command)).moment_id
            net_loss.compare(workspace, self.occasion("after", command), before, after, ended=True)
        return self.lines

    @property
    def lines(self) -> tuple[str, ...]:
        if not self.top.is_dir():
            return ()
        return net_loss.lines(Workspace.open(self.top))

    @staticmethod
    def occasion(kind: Kind, words: str) -> Occasion:
        return Occasion(kind, "s1", "claude", "call", words)


def shell(top: Path, command: str) -> None:
    """Run a command that is not the agent's."""
    subprocess.run(["bash", "-ec", command], cwd=top, check=True, capture_output=True)


def dirty(top: Path, *, intended: bool = True) -> None:
    """Files of each kind: staged, staged over unstaged, unstaged, untracked, intended, executable, links, ignored.

    git makes no stash entry while a path is intended to be added.
    """
    (top / ".gitignore").write_text("*.log\nbuild/\n")
    subprocess.run(["git", "add", ".gitignore"], cwd=top, check=True)
    (top / "f1.txt").write_text("staged\n")
    subprocess.run(["git", "add", "f1.txt"], cwd=top, check=True)
    (top / "f1.txt").write_text("staged, then edited\n")
    (top / "f2.txt").write_text("unstaged\n")
    (top / "f3.txt").chmod(0o755)
    (top / "src").mkdir()
    (top / "src/new.bin").write_bytes(bytes(range(256)))
    (top / "run.sh").write_text("#!/bin/sh\n")
    (top / "run.sh").chmod(0o755)
    (top / "link").symlink_to("src/new.bin")
    if intended:
        (top / "intended.txt").write_text("intended\n")
        subprocess.run(["git", "add", "-N", "intended.txt"], cwd=top, check=True)
    (top / "added.txt").write_text("added\n")
    subprocess.run(["git", "add", "added.txt"], cwd=top, check=True)
    (top / "debug.log").write_text("ignored\n")
    (top / "build").mkdir()
    (top / "build/out").write_text("built\n")


def picture(top: Path, *, ignored: bool = True) -> Picture:
    """Each file with mode and bytes, HEAD, the branches, the stash, and what git says of the index."""
    found: Picture = {}
    for path in sorted(top.rglob("*")):
        name = str(path.relative_to(top))
        if name.split("/", maxsplit=1)[0] in (".git", ".devs", "linked") or (
            not ignored and name.startswith(("build", "debug"))
        ):
            continue
        if path.is_symlink():
            found[name] = (0, os.fsencode(path.readlink()))
        elif path.is_file():
            found[name] = (stat.S_IMODE(path.stat().st_mode) & 0o111, path.read_bytes())
    asked = {
        "head": ("rev-parse", "HEAD"),
        "branch": ("symbolic-ref", "-q", "HEAD"),
        "branches": ("for-each-ref", "refs/heads", "--format=%(refname) %(objectname)"),
        "stash": ("stash", "list", "--format=%H"),
        "index": ("ls-files", "-s", "--debug"),
        "status": ("status", "--porcelain=v2", "-uall"),
    }
    for name, words in asked.items():
        said = subprocess.run(["git", *words], cwd=top, capture_output=True, text=True, check=False).stdout
        lines = [line for line in said.splitlines() if "devs/" not in line and not line.startswith("  ")]
        found[f"git {name}"] = "\n".join(lines)
    return found
