"""Whoever reads starts nothing that a repository names: not by its configuration, its attributes, or its submodules.

Every verb of tier 0 and every dry run is called, in each of its forms, where all that git would start is planted.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.errors import EXIT_INTERNAL
from devs_git.workspace import Workspace
from tests.support.verb_calls import DRY_RUNS, SAMPLES, TIER0, WITH_DRY_RUN, ask, call

pytestmark = pytest.mark.quick

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
MORE = [
    ("diff",),
    ("diff", "--hunks"),
    ("diff", "--against", "task-10@1", "--hunks"),
    ("diff", "task-10", "--hunks"),
    ("show", "task-10@2"),
    ("log",),
    ("verify",),
    ("verify", "registry", "tas", "policy", "schemas", "tags"),
    ("trace", "search", "--in", "messages", "Say"),
    ("history",),
    ("task", "status"),
]
FILTERS = {"one by one": ("clean", "smudge"), "process": ("process",), "all": ("clean", "smudge", "process")}


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Where each planted program leaves a line."""
    return tmp_path / "ran"


@pytest.fixture
def trap(tmp_path: Path, ran: Path) -> Path:
    """A program that tells by whom it was called, and lets through what it is given."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>{ran}\ncat 2>/dev/null\n')
    program.chmod(0o755)
    return program


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


# With all three in place git would start the next one where one of them is off.
@pytest.fixture(
    params=[pytest.param(name, marks=() if name == "all" else pytest.mark.thorough) for name in FILTERS]
)
def planted(request: pytest.FixtureRequest, lived_in: Path, git: Git, trap: Path, ran: Path) -> Path:
    plant(lived_in, git, trap, FILTERS[request.param])
    ran.unlink(missing_ok=True)
    return lived_in


def started(ran: Path) -> str:
    return ran.read_text() if ran.exists() else ""


CALLS = [
    *(pytest.param(SAMPLES[name], id=name) for name in TIER0),
    *(pytest.param(words, id=" ".join(words)) for words in MORE),
]


@pytest.mark.parametrize("words", CALLS)
def test_a_verb_that_reads_starts_nothing_that_the_repository_names(
    words: tuple[str, ...], planted: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words[0] == "gate":
        ask(Workspace.open(planted))
        ran.unlink(missing_ok=True)
    for more in ((), ("--json",)):
        assert call(monkeypatch, *words, *more) != EXIT_INTERNAL
        assert started(ran) == ""


# A dry run of sync asks the remote, by the transport that the person's git uses for it: this is what it is for.
@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("name", [name for name in WITH_DRY_RUN if name != "sync"])
def test_a_dry_run_starts_nothing_that_the_repository_names(
    name: str, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in ((), ("--json",)):
        assert call(monkeypatch, *DRY_RUNS[name], *more) != EXIT_INTERNAL
        assert started(ran) == ""


@pytest.mark.parametrize("words", [("status",), ("diff", "HEAD"), ("diff", "--raw", "HEAD")])
def test_what_is_planted_is_what_git_itself_starts(words: tuple[str, ...], planted: Path, ran: Path) -> None:
    """The control arm."""
    subprocess.run(["git", *words], cwd=planted, capture_output=True, check=False)
    assert "filter." in started(ran)
