"""Which clients run here, and that nothing but the loopback is there for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients import installation, network
from tests.clients.program import Program

pytestmark = pytest.mark.thorough

TOP = Path(__file__).parent.parent.parent


def _said(*command: str) -> str:
    environment = {**os.environ, "PATH": f"{installation.PROGRAMS}:{os.environ['PATH']}"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_client_that_runs_is_the_pinned_one(program: Program) -> None:
    assert installation.VERSIONS[program.package] in _said(*program.version).split()


def test_node_is_the_pinned_one() -> None:
    """An older npm on an older Node would silently take an older client."""
    assert _said("node", "--version").strip() == f"v{installation.VERSIONS[installation.NODE]}"


def test_every_client_of_the_pins_is_run_by_some_test() -> None:
    from tests.clients.conftest import PROGRAMS

    assert {one.package for one in PROGRAMS} == set(installation.VERSIONS) - {installation.NODE}


def test_a_namespace_of_its_own_has_nothing_but_the_loopback() -> None:
    assert network.is_closed() == network.description().startswith("a namespace of its own")


def test_a_registry_that_does_not_answer_reads_as_that(tmp_path: Path) -> None:
    nobody = {"npm_config_registry": "http://127.0.0.1:1", "npm_config_fetch_retries": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.clients.installation"],
        cwd=TOP,
        env={**os.environ, **nobody, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    text = "The npm registry does not answer (ECONNREFUSED), so the clients cannot be installed. Nothing was tested.\n"
    assert (done.returncode, done.stdout, done.stderr) == (installation.TRY_AGAIN, "", text)
    assert [path.suffix for path in (tmp_path / "devs-git/clients").iterdir()] == [".lock"]
