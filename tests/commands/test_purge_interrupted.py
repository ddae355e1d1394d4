"""`purge` names the files in which git keeps messages and patches of what was interrupted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.planted_secret import TEXT, WORD, run_purge
from tests.support.scene import Scene

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("way", ["rebase", "rebase --apply", "cherry-pick"])
def test_files_of_an_interrupted_rebase_or_cherry_pick_are_named(initialised: Path, way: str) -> None:
    scene = Scene(Workspace.open(initialised))
    base = scene.git("rev-parse", "HEAD")
    (initialised / "a.txt").write_text("main\n")
    scene.git("commit", "-qam", "main")
    scene.git("switch", "-qc", "side", base)
    for text in ("one\n", "two\n"):
        (initialised / "a.txt").write_text(text)
        scene.git("commit", "-qam", f"found {WORD}")
    scene.git("switch", "-q", "main")
    command = ["rebase", *way.split()[1:], "main", "side"] if "rebase" in way else [way, "side~1", "side"]
    subprocess.run(["git", *command], cwd=initialised, capture_output=True, check=False)
    folder = {"rebase": "rebase-merge", "rebase --apply": "rebase-apply"}.get(way, "sequencer")
    held = [path for path in (initialised / ".git" / folder).iterdir() if WORD.encode() in path.read_bytes()]
    assert held
    commands = {one.what: one.command for one in run_purge(initialised, TEXT).left}
    for path in held:
        assert commands[str(path)].startswith("end the operation that uses it: git ")


def test_the_log_of_a_bisect_and_what_rerere_remembers_are_named(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.git("config", "rerere.enabled", "true")
    scene.git("switch", "-qc", "side")
    (initialised / "a.txt").write_text(f"{WORD}\n")
    scene.git("commit", "-qam", f"found {WORD}")
    scene.git("bisect", "start", "HEAD", "HEAD~1")
    scene.git("checkout", "-q", "main")
    (initialised / "a.txt").write_text("other\n")
    scene.git("commit", "-qam", "other")
    subprocess.run(["git", "merge", "-q", "side"], cwd=initialised, capture_output=True, check=False)
    commands = {one.what: one.command for one in run_purge(initialised, TEXT).left}
    assert (
        commands[str(initialised / ".git/BISECT_LOG")] == "end the operation that uses it: git bisect reset"
    )
    (kept,) = (initialised / ".git/rr-cache").rglob("preimage")
    assert commands[str(kept)] == f"rm {kept}"
