"""What a stranger installs works: sdist, the wheel made of it, an environment that holds nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import devs_git
from tests.pages import tour

pytestmark = pytest.mark.thorough

TOP = Path(__file__).parent.parent
HOOKS = sorted(
    str(file.relative_to(TOP / "hooks"))
    for file in (TOP / "hooks").rglob("*")
    if file.is_file() and "." not in file.name
)
# The wheels that `make env` fetched; HOME is another one while a test runs.
CACHE = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
SCHEMAS = sorted(file.name for file in (TOP / "schemas").iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist as a package index's visitor would."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(TOP)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def test_hooks_and_schemas_are_in_the_wheel_and_the_hooks_can_be_executed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        modes = {item.filename: item.external_attr >> 16 for item in archive.infolist()}
    assert [name for name in HOOKS if not modes.get(f"devs_git/_hooks/{name}", 0) & 0o100] == []
    assert [name for name in SCHEMAS if f"devs_git/_schemas/{name}" not in modes] == []
    assert f"devs_git-{devs_git.__version__}.dist-info/licenses/LICENSE" in modes


def test_the_pages_are_in_the_source_distribution(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    pages = {str(file.relative_to(TOP)) for file in (TOP / "docs").rglob("*") if file.is_file()}
    assert {"docs/tools.md", "README.md", "CONTRIBUTING.md"} <= names
    assert pages - names == set()


def test_the_wheel_in_an_empty_environment_runs_the_demo_that_the_tour_shows(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another folder, with another language, time zone and git configuration than where it was written."""
    venv, temporary = tmp_path / "venv", tmp_path / "temporary files"
    temporary.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(venv),
        "--cache-dir",
        CACHE,
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, "install", "--quiet", "--no-compile", str(wheel)], check=True)
    (tmp_path / "home" / ".gitconfig").write_text("[log]\n\tdate = relative\n[core]\n\tabbrev = 30\n")
    for name, value in (
        ("PATH", f"{venv / 'bin'}:{os.environ['PATH']}"),
        ("TMPDIR", str(temporary)),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Asia/Kathmandu"),
        ("GIT_AUTHOR_NAME", "Somebody"),
        ("GIT_DIR", str(tmp_path / "elsewhere")),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert _run("git", "devs", "--version") == f"devs-git {devs_git.__version__}\n"
    assert _run("devs-git", "demo") == tour.transcript(), "Refresh it with: make pages"
    assert list(temporary.iterdir()) == []


def _run(*command: str) -> str:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout
