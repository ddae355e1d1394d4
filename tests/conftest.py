"""Every test is alone with its own HOME, no GIT_* variables and a clock that stands still unless it ticks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ConfigLevel

from devs_git.commands import init
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support import git_calls, ledgers, repository_copy
from tests.support.scene import Scene

for level in (ConfigLevel.GLOBAL, ConfigLevel.XDG, ConfigLevel.SYSTEM, ConfigLevel.PROGRAMDATA):
    pygit2.settings.search_path[level] = ""  # libgit2 ignores GIT_CONFIG_GLOBAL

pytest_plugins = (
    "tests.support.verb_calls",
    "tests.support.measuring",
    "tests.support.selection",
    "tests.support.time_limit",
    "tests.support.turn_scene",
)

# Where the detector of secrets keeps its compiled rules: to compile them takes seconds.
RULES = Path.home() / ".cache/devs-git/rules"
Run = Callable[..., str]
Moulded = Callable[[str, Callable[[], object]], Path]
Tasks = Callable[[dict[str, dict[str, str | None]]], Scene]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the counts of the run, so that its log says what was tested how often."""
    counts = [
        f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("DEVS_TEST_COUNT_")
    ]
    for report in terminalreporter.stats.get("passed", ()):
        for key, value in report.user_properties:
            if key == "counted":
                terminalreporter.line(f"counted: {value}")
    terminalreporter.line("counts: " + (" ".join(counts) or "small (make test-all runs those of the issues)"))


@pytest.fixture(autouse=True)
def _hermetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = ("GIT_", "DEVS_", "CLAUDE", "CODEX", "CURSOR", "GEMINI", "OPENCODE", "AGENT", "AI_", "XDG_")
    for name in list(os.environ):
        if name.startswith(strange) and not name.startswith("DEVS_TEST_"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[core]\n\tautocrlf = false\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("KF_RULE_CACHE_DIR", str(RULES))
    # No test cuts the power, so git need not wait for the disk.
    monkeypatch.setenv("GIT_TEST_FSYNC", "0")


@pytest.fixture
def git(repo: Path) -> Run:
    """`git("commit", "-m", "x")` in the test's repository; its standard output, stripped."""

    def run(*words: str, where: Path | None = None, stdin: str | None = None) -> str:
        return git_calls.git(*words, where=where or repo, stdin=stdin).strip()

    return run


@pytest.fixture
def moulded(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Moulded:
    """`moulded("name", make)`: the repository that `make` leaves, made once and copied for each test.

    It is also the current folder. A fixture that asks for another one does so inside `make`, with
    `request.getfixturevalue`, or it would be copied in vain each time.
    """

    def copy(name: str, make: Callable[[], object]) -> Path:
        mould, top = tmp_path_factory.getbasetemp() / "moulds" / name, tmp_path / "repo"
        if mould.exists():
            shutil.rmtree(top, ignore_errors=True)
            repository_copy.folder(mould, top)
            # A copy's files have other inodes than its index says.
            subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=top, check=False)
        else:
            make()
            shutil.copytree(top, mould, symlinks=True, ignore=shutil.ignore_patterns("*.sample"))
        monkeypatch.chdir(top)
        return top

    return copy


@pytest.fixture
def repo(tmp_path: Path, moulded: Moulded, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three commits, which is also the current folder."""
    top = tmp_path / "repo"
    if top.exists():  # a fixture that has more in it made it
        monkeypatch.chdir(top)
        return top
    script = (
        "git init -q && rm -f .git/hooks/*.sample && for n in 1 2 3; do echo line $n >> a.txt "
        "&& echo $n > f$n.txt && git add -A && git commit -qm c$n; done"
    )

    def make() -> None:
        top.mkdir()
        subprocess.run(["sh", "-c", script], cwd=top, check=True)

    return moulded("three commits", make)


@pytest.fixture
def workspace(repo: Path) -> Workspace:
    return Workspace.open(repo)


@pytest.fixture
def ledgered(workspace: Workspace) -> Workspace:
    """A workspace whose ledger has its genesis and its first policy, without hooks."""
    if not workspace.ledger.tip().oid:  # else a fixture that has more in it made it
        ledgers.begin(workspace)
    return workspace


@pytest.fixture
def tasks(request: pytest.FixtureRequest, moulded: Moulded) -> Tasks:
    """`tasks({"10": {"b.txt": "b\n"}})`: a ledger with these tasks completed, each having written its files."""

    def done(work: dict[str, dict[str, str | None]]) -> Scene:
        def make() -> None:
            scene = Scene(request.getfixturevalue("ledgered"))
            for task, files in work.items():
                scene.task(task, files)

        name = hashlib.sha256(repr(work).encode()).hexdigest()
        return Scene(Workspace.open(moulded(name, make)))

    return done


@pytest.fixture
def initialised(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """The repository of `repo`, set up by `init`, its policy committed."""

    def make() -> None:
        made: Path = request.getfixturevalue("repo")
        router.call("init", Workspace.open(made), init.Request())
        git_calls.git("add", "devs-policy.yaml", where=made)
        git_calls.git("commit", "-qm", "policy", where=made)

    return moulded("initialised", make)


@pytest.fixture
def mark(ledgered: Workspace) -> Run:
    """`mark(10, 2, completed=True)` records HEAD as task-10@2 and returns the oid of its tag."""

    def make(task: int | str, number: int = 1, *, completed: bool = False, message: str = "work") -> str:
        name, top = ids.task_id(str(task)), ledgered.top
        commit, tree = git_calls.git("rev-parse", "HEAD", "HEAD^{tree}", where=top).split()
        words = f"{name}@{number}: {message}\n\nDevs-Task: {name}\nDevs-Checkpoint: {number}\n"
        text = (
            f"object {commit}\ntype commit\ntag {name}@{number}\ntagger A <a@b.c> 978307200 +0000\n\n{words}"
        )
        tag = ledgered.objects.write("tag", text.encode())
        event = ledgered.event(
            "task.completed" if completed else "checkpoint.created",
            f"checkpoint: {name}@{number}",
            ("Devs-Task", name),
            ("Devs-Number", str(number)),
            ("Devs-Tag", tag),
            ("Devs-Commit", commit),
            ("Devs-Tree", tree),
            ("Devs-Branch", "main"),
            ("Devs-Message", message),
            ("Devs-Stat", "1 2 3"),
            verb_name="checkpoint",
        )
        update = RefUpdate(ids.checkpoint_ref(name, number), tag, NO_OID)
        ledgered.append(lambda _tip: Draft(event, updates=(update,)))
        return tag

    return make


@pytest.fixture
def rewound(ledgered: Workspace) -> Run:
    """`rewound(tag, …)` records a rewind that undid these checkpoints."""

    def make(*tags: str) -> str:
        fields = tuple(("Devs-Undone", tag) for tag in tags)
        event = ledgered.event("rewound", "rewind: back to task-10", *fields, verb_name="rewind")
        return ledgered.append(lambda _tip: Draft(event)).oid

    return make
