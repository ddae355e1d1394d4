"""What docs/ci.md says to paste into a forge's CI is well formed, and does there what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.ledger.ids import completed_tag

pytestmark = pytest.mark.quick

Run = Callable[..., str]
TOP = Path(__file__).parent.parent
PAGE = (TOP / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(yaml|json)\n(.*?)```", PAGE, re.DOTALL)


def block(kind: str, beginning: str = "") -> Any:
    text = next(text for found, text in BLOCKS if found == kind and text.startswith(beginning))
    return YAML(typ="safe").load(text) if kind == "yaml" else json.loads(text)


WORKFLOW = block("yaml", "# .github/")
STEPS = WORKFLOW["jobs"]["verify"]["steps"]


def steps(where: Path, base: str, these: list[Any] = STEPS, programs: str = "") -> tuple[int, str]:
    """Run a workflow's commands one after the other, as its runner does, but for the installation."""
    path = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "BASE": base}
    said = ""
    for step in these:
        if "run" in step and not step["run"].startswith("pip install"):
            words = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
            done = subprocess.run(words, cwd=where, env=env, capture_output=True, text=True, check=False)
            said += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, said
    return 0, said


@pytest.fixture
def clone(initialised: Path, git: Run, tmp_path: Path) -> Path:
    """What a runner has after checkout: all branches as the remote's, HEAD detached."""
    git("commit", "-q", "--allow-empty", "-m", "work")
    git("clone", "-q", "--bare", str(initialised), str(tmp_path / "remote"))
    git("clone", "-q", str(tmp_path / "remote"), str(tmp_path / "clone"))
    git("checkout", "-q", "--detach", where=tmp_path / "clone")
    return tmp_path / "clone"


def test_the_workflow_verifies_a_clone_and_fails_on_a_commit_that_was_forged(clone: Path, git: Run) -> None:
    status, said = steps(clone, git("rev-parse", "HEAD~1", where=clone))
    assert (status, "\nverified: ledger" in said) == (0, True), said
    assert (clone / "devs-git-report.html").read_bytes().startswith(b"<!DOCTYPE html>")
    forged = f"x\n\nDevs-Ledger: {'f' * 40}"
    git(
        "reset", "-q", git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", forged, where=clone), where=clone
    )
    for base in (git("rev-parse", "HEAD~1", where=clone), "0" * 40):
        status, said = steps(clone, base)
        assert (status, "::error title=LEDGER_ROLLBACK::Commit " in said) == (1, True), said


def test_the_workflow_has_the_whole_history_and_installs_what_this_is() -> None:
    checkout = next(step for step in STEPS if step.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"]["fetch-depth"] == 0
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["name"]
    # By URL and commit, as long as no index and no tag has it.
    installed = f"pip install '{project}[mask] @ git+https://github.com/OWNER/{project}@COMMIT'"
    assert any(step.get("run") == installed for step in STEPS)
    assert WORKFLOW["permissions"] == {"contents": "read"}
    # No text of a pull request becomes a command.
    assert "${{" not in "".join(step.get("run", "") for step in STEPS)


# `gh`, as its manual says: the newest run, and its artifact in the current folder.
GH = """#!/bin/sh
case "$*" in
"run list --workflow devs-git-whole.yaml --event schedule --status success --limit 1 --json databaseId --jq "*) echo 7 ;;
"run download 7 --name devs-git-judged --dir "?*) mkdir -p "$7" && cp "$ARTIFACT" "$7" ;;
*) echo "no such call: $*" >&2; exit 1 ;;
esac
"""


def test_a_pull_request_takes_as_judged_what_the_nightly_workflow_judged(
    clone: Path, git: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly = block("yaml", "# .github/workflows/devs-git-whole.yaml")
    assert (list(nightly["on"]), nightly["permissions"]) == (["schedule"], {"contents": "read"})
    git("clone", "-q", str(tmp_path / "remote"), str(tmp_path / "night"))
    status, said = steps(tmp_path / "night", "", nightly["jobs"]["whole"]["steps"])
    judged = (tmp_path / "night" / "devs-git-judged").read_text()
    assert (status, judged.strip()) == (0, git("rev-parse", LEDGER, where=tmp_path / "night")), said
    added = block("yaml", "      - name: Find what")
    option = re.search(r'`(--judged "[^`]+)` at the end', PAGE)
    assert option
    lines = [{"run": f"{one['run']} {option[1]}"} if one.get("name") == "Verify" else one for one in STEPS]
    at = next(at for at, one in enumerate(STEPS) if one.get("name") == "Verify")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    base = git("rev-parse", "HEAD~1", where=clone)
    # A pull request may track a file of this name: nobody has judged what it says.
    (clone / "devs-git-judged").write_text(judged)
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "of the runner"))
    for artifact, taken in (("nowhere", False), (tmp_path / "night" / "devs-git-judged", True)):
        monkeypatch.setenv("ARTIFACT", str(artifact))
        status, said = steps(clone, base, [*lines[:at], *added, *lines[at:]], str(tmp_path))
        found = (status, "\nverified: " in said, "\nTaken as judged: 2 events." in said)
        assert found == (0, True, taken), said
    assert "${{" not in added[0]["run"]


def test_the_rulesets_protect_the_ledger_and_the_tags_of_tasks() -> None:
    kinds = {
        (rule["type"], ref)
        for ruleset in block("json")
        if ruleset["enforcement"] == "active"
        for rule in ruleset["rules"]
        for ref in (LEDGER, completed_tag("task-10"))
        if any(
            fnmatch(ref, form.replace("**/*", "*")) for form in ruleset["conditions"]["ref_name"]["include"]
        )
    }
    tag = completed_tag("task-10")
    assert kinds == {
        ("deletion", LEDGER),
        ("non_fast_forward", LEDGER),
        *((rule, tag) for rule in ("deletion", "update", "non_fast_forward")),
    }
    checks = [rule for ruleset in block("json") for rule in ruleset["rules"] if "parameters" in rule]
    named = [check["context"] for rule in checks for check in rule["parameters"]["required_status_checks"]]
    assert named == list(WORKFLOW["jobs"])


def test_a_ruleset_keeps_a_tag_from_being_made_that_git_shows_in_the_ledgers_place() -> None:
    [names] = [
        ruleset["conditions"]["ref_name"]["include"]
        for ruleset in block("json")
        if ruleset["rules"] == [{"type": "creation"}] and ruleset["target"] == "tag"
    ]
    assert [
        any(fnmatch(ref, name) for name in names) for ref in (f"refs/tags/{LEDGER[11:]}", completed_tag("10"))
    ] == [True, False]


def test_the_configuration_for_pre_commit_names_our_hooks_and_installs_their_stages() -> None:
    config = block("yaml", "# .pre-commit")
    manifest = YAML(typ="safe").load((TOP / ".pre-commit-hooks.yaml").read_text())
    offered = {hook["id"]: hook for hook in manifest}
    repository = config["repos"][0]
    assert {hook["id"] for hook in repository["hooks"]} == set(offered)
    stages = {stage for hook in manifest for stage in hook["stages"]} - {"manual"}
    assert set(config["default_install_hook_types"]) == stages
    assert repository["rev"] == "COMMIT"  # there is no tag that it could name
    assert stages <= {file.name for file in (TOP / "hooks").iterdir()}
