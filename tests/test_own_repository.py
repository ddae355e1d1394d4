"""devs-git governs its own repository: the ledger that devs-policy.yaml names begins in .ci/ledger, and CI judges by it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from devs_git.domain.ledger.events import LEDGER
from tests.support.git_calls import git

TOP = Path(__file__).parent.parent
FILES = ("devs-policy.yaml", ".ci/ledger", ".ci/verify")
WORKFLOW: dict[str, Any] = YAML(typ="safe").load((TOP / ".github/workflows/devs-git.yaml").read_text())
FORGED = f"Devs-Ledger: {'f' * 40}"
RUNS = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]


def publish(where: Path, said: str) -> None:
    """The script as it is before or after the maintainers have pushed the ledger."""
    script = where / ".ci/verify"
    text, count = re.subn(r"(?m)^published=(yes|no)$", f"published={said}", script.read_text())
    assert count == 1
    script.write_text(text)


def verify(where: Path, base: str = "") -> tuple[int, str]:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [".ci/verify", *([base] if base else [])]
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a remote that has our policy and no ledger, as on a runner before the maintainers pushed one."""
    first, remote, top = tmp_path / "first", tmp_path / "remote", tmp_path / "clone"
    for name in FILES:
        (first / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, first / name)
    publish(first, "no")
    git("init", "-q", str(first), where=tmp_path)
    git("add", ".", where=first)
    git("commit", "-qm", "begin", where=first)
    git("clone", "-q", "--bare", str(first), str(remote), where=tmp_path)
    git("clone", "-q", str(remote), str(top), where=tmp_path)
    return top


def commit(where: Path, *trailers: str) -> str:
    """A commit without hooks; returns the one before it."""
    git(
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "work",
        *(("-m", "\n".join(trailers)) if trailers else ()),
        where=where,
    )
    return git("rev-parse", "HEAD~1", where=where)


@pytest.mark.quick
def test_the_ledger_that_the_policy_names_is_the_one_of_the_file(tmp_path: Path) -> None:
    git("init", "-q", where=tmp_path)
    git("fast-import", "--quiet", stdin=(TOP / ".ci/ledger").read_text(), where=tmp_path)
    policy = YAML(typ="safe").load((TOP / "devs-policy.yaml").read_text())
    events = git("rev-list", "--reverse", LEDGER, where=tmp_path).split()
    assert events == [policy["genesis"], policy["first_policy"]]


@pytest.mark.quick
def test_before_the_remote_has_a_ledger_the_one_of_the_file_judges(clone: Path) -> None:
    base = commit(clone)
    status, said = verify(clone, base)
    assert status == 0, said
    assert "The remote has no ledger" in said
    assert "::warning title=UNBOUND_COMMIT::" in said
    status, said = verify(clone, commit(clone, FORGED))
    assert (status, "LEDGER_ROLLBACK" in said) == (1, True), said


@pytest.mark.parametrize("base", ["0" * 40, ""])
def test_a_new_branch_is_judged_from_its_beginning(base: str, clone: Path) -> None:
    commit(clone, FORGED)
    commit(clone)
    status, said = verify(clone, base)
    assert (status, "LEDGER_ROLLBACK" in said) == (1, True), said


def test_another_ledger_than_the_named_one_is_refused(clone: Path) -> None:
    policy = clone / "devs-policy.yaml"
    named = YAML(typ="safe").load(policy.read_text())["genesis"]
    policy.write_text(policy.read_text().replace(named, "a" * 40))
    git("commit", "-qam", "another", where=clone)
    status, said = verify(clone)
    assert (status, "names a different genesis" in said) == (1, True), said


def test_the_ledger_of_the_remote_judges_and_must_be_there_once_it_is_published(clone: Path) -> None:
    git("fast-import", "--quiet", stdin=(TOP / ".ci/ledger").read_text(), where=clone)
    tip = git("rev-parse", LEDGER, where=clone)
    message = "history: one more\n\nDevs-Event: rewind.planned\nDevs-Outcome: ok\n"
    event = git("commit-tree", "-p", tip, "-m", message, f"{tip}^{{tree}}", where=clone)
    git("push", "-q", "origin", f"{event}:{LEDGER}", where=clone)
    git("update-ref", "-d", LEDGER, where=clone)
    status, said = verify(clone)
    assert ("The remote has no ledger" in said, "3 events" in said) == (False, True), said
    git("push", "-q", "origin", f":{LEDGER}", where=clone)
    publish(clone, "yes")
    status, said = verify(clone)
    assert (status, "cannot be fetched" in said) == (1, True), said


def test_a_remote_that_cannot_be_asked_fails_the_check(clone: Path) -> None:
    git("remote", "set-url", "origin", str(clone / "nowhere"), where=clone)
    status, said = verify(clone)
    assert (status, "cannot be fetched" in said) == (1, True), said


@pytest.mark.quick
def test_the_workflow_tests_and_verifies_what_it_installs_from_the_checkout() -> None:
    assert RUNS == [
        "make test",
        "make house",
        "pip install '.[mcp,mask]'",
        "devs-git verify registry guard",
        '.ci/verify "$BASE"',
    ]
    assert WORKFLOW["permissions"] == {"contents": "read"}
    # Nothing of a pull request becomes a part of a command.
    assert "${{" not in "".join(RUNS)
    checkout = WORKFLOW["jobs"]["verify"]["steps"][0]
    assert checkout["with"]["fetch-depth"] == 0
    makefile = (TOP / "Makefile").read_text()
    assert "\ntest: " in makefile
