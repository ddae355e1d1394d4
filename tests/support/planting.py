"""All that a repository can name for git to start: settings, filters, hooks, a submodule. Each is a program that leaves a line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Git = Callable[..., str]
# What git starts, by the setting that names it. `protocol` and `promisor` make it go to a remote by a program.
PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
    "credential.helper", "credential.https://localhost.helper", "diff.external", "diff.x.textconv", "diff.x.command", "diff.tool",
    "difftool.x.cmd", "gpg.program", "gpg.x509.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "interactive.diffFilter",
    "merge.x.driver", "pager.status", "pager.diff", "pager.log", "sequence.editor", "trailer.x.command", "trailer.x.cmd",
    "uploadpack.packObjectsHook", "remote.origin.uploadpack", "sendemail.smtpserver", "man.viewer", "browser.x.cmd", "gc.recentObjectsHook",
)  # fmt: skip
OTHERS = {
    "log.showSignature": "true",
    "diff.submodule": "log",
    "status.submoduleSummary": "true",
    "diff.ignoreSubmodules": "none",
    "submodule.recurse": "true",
    "remote.origin.url": "ssh://localhost/x",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "protocol.ext.allow": "always",
}
HOOKS = ("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "post-checkout", "reference-transaction")
FILTERS = {"one by one": ("clean", "smudge"), "process": ("process",), "all": ("clean", "smudge", "process")}


def plant(top: Path, git: Git, trap: Path, kinds: tuple[str, ...], place: str = ".git/config") -> None:
    """All of it, with files whose times alone are new, that were edited, staged, or are only intended."""
    for name in ("kept.big", "touched.big", "edited.big", "longer.big"):
        (top / name).write_text(f"{name} as it was\n")
    (top / "sub").mkdir()
    git("init", "-q", "sub")
    git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x")
    git("add", "kept.big", "touched.big", "edited.big", "longer.big")
    git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
    git("commit", "-q", "-m", "before anything is planted", "--", "kept.big", "touched.big", "edited.big", "longer.big", "sub")  # fmt: skip
    (top / "intended.big").write_text("intended\n")
    git("add", "-N", "intended.big")
    for key in PROGRAMS:
        git("config", key, f"{trap} {key}")
    for key, value in OTHERS.items():
        git("config", key, value)
    for kind in kinds:
        git("config", "--file", place, f"filter.big.{kind}", f"{trap} filter.{kind}")
    git("-C", "sub", "config", "core.fsmonitor", f"{trap} sub")
    (top / "sub" / "dirty").write_text("x\n")
    (top / ".git/info/attributes").write_text("* diff=x merge=x\n*.big filter=big\n")
    for hook in HOOKS:
        path = top / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(trap)
    os.utime(top / "touched.big", (5, 5))
    (top / "edited.big").write_text("edited.big AS it was\n")
    (top / "longer.big").write_text("longer.big as it was, and more\n")
