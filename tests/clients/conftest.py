"""One client after the other, each in a repository of its own; the end of the report says which network they had."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients import installation, network
from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, CodexInCode
from tests.clients.everyday_run import Everyday
from tests.clients.gemini import Gemini
from tests.clients.opencode import OpenCode
from tests.clients.program import Program
from tests.clients.workbench import Workbench

PROGRAMS: tuple[Program, ...] = (ClaudeCode(), Codex(), CodexInCode(), Gemini(), OpenCode())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what ran, and which network it had."""
    versions = ", ".join(f"{name} {version}" for name, version in installation.VERSIONS.items())
    terminalreporter.line(f"clients: {versions}")
    terminalreporter.line(f"network: {network.description()}")


@pytest.fixture(scope="session", autouse=True)
def _no_empty_repository_around_ours() -> Iterator[None]:
    """Codex's sandbox leaves an empty `/tmp/.git` where it protects one. Then other tests take /tmp for a repository."""
    yield
    with contextlib.suppress(OSError):
        Path("/tmp/.git").rmdir()


@pytest.fixture(scope="session", params=PROGRAMS, ids=lambda program: program.name)
def program(request: pytest.FixtureRequest) -> Program:
    """Each client in turn."""
    found: Program = request.param
    return found


@pytest.fixture
def workbench(program: Program, tmp_path: Path) -> Iterator[Workbench]:
    """A fresh repository in which devs-git and the client are installed."""
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(program, folder) as made:
        yield made


@pytest.fixture(scope="session")
def everyday(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everyday]:
    """What a client does in a usual session, done once: tests only look at what it left."""
    with Workbench(program, tmp_path_factory.mktemp(program.name)) as bench:
        yield Everyday(bench)
