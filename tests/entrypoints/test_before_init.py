"""If the ledger has no policy, every verb answers NOT_INITIALIZED, except those that are marked in the table."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.verbs import VERBS, Verb
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts.report_page import page
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import DevsError
from devs_git.values import fields, replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.entrypoints.samples import sample

BEFORE = {"init", "doctor", "verify"}
GATE = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
# What a request cannot be made without. A verb that is not here is asked with nothing.
NEEDED: dict[str, dict[str, Any]] = {
    "task switch": {"task_id": "10"},
    "task abandon": {"rewind": True},
    "drop": {"task_id": "10"},
    "fork": {"target": "10", "name": "11"},
    "task start": {"task_id": "1"},
    "contract start": {"name": "c"},
    "phase set": {"phase": "plan"},
    "directive add": {"task_id": "1", "text": "t"},
    "directive withdraw": {"directive_id": "20010203T040506-1a2b3c4d"},
    "task complete": {"message": "m"},
    "task result": {"task_id": "1", "text": "It works."},
    "checkpoint": {"message": "m"},
    "show": {"target": "1"},
    "why": {"target": "a:1"},
    "rewind": {"target": "1"},
    "checkout": {"branch_name": "main"},
    "branch": {"target": "1", "name": "other"},
    "restore": {"target": "1", "paths": ("a",)},
    "snapshot open": {"name": "snapshot/1"},
    "snapshot prune": {"older_than": "1d"},
    "gate request": {
        "gate_type": "MANUAL",
        "agent_id": "developer",
        "blocker_description": "The contract contradicts the data.",
    },
    "gate approve": {"gate_id": GATE},
    "gate reject": {"gate_id": GATE, "reason": "No."},
    "gate wait": {"gate_id": GATE},
    "gate show": {"gate_id": GATE},
    "purge": {"text": "a secret"},
    "trace put": {"output": b"printed"},
    "trace get": {"trace_id": "t-1"},
    "trace search": {"query": "x"},
    "trace prune": {"older_than": "1d"},
    "trace export": {"write": io.BytesIO().write},
    "report": {"write": io.BytesIO().write, "render": page.render, "start": page.START},
    "trace import": {"source": io.BytesIO()},
    "conversation import": {"file": "x.jsonl"},
    "conversation rewind": {"by_messages": 1},
}
REFUSED = [row for row in VERBS.values() if not row.before_init]


def nothing(_git: Run) -> None:
    """A git repository without devs-git."""


def genesis_alone(git: Run) -> None:
    """A repository as an interrupted `init` of version 0.1 left it."""
    tree = git("mktree", stdin="")
    git("update-ref", LEDGER, git("commit-tree", tree, "-m", "ledger: begin\n\nDevs-Event: ledger.created"))


def genesis_packed(git: Run) -> None:
    genesis_alone(git)
    git("gc", "-q")


def traces_kept(git: Run) -> None:
    """A repository with the folder of the catalog, that never had a ledger."""
    (Path(git("rev-parse", "--absolute-git-dir")) / "devs").mkdir()


STATES = pytest.mark.parametrize("state", [nothing, genesis_alone, genesis_packed, traces_kept])


def request_of(row: Verb) -> Any:
    return importlib.import_module(row.module).Request(**NEEDED.get(row.name, {}))


def code_of(name: str, request: Any) -> str:
    try:
        router.call(name, Workspace.open(), request)
    except DevsError as error:
        return error.code
    return ""


@pytest.mark.quick
def test_only_these_verbs_answer_before_init() -> None:
    assert {row.name for row in VERBS.values() if row.before_init} == BEFORE


@pytest.mark.quick
@STATES
def test_without_a_policy_every_other_verb_answers_not_initialized(
    repo: Path, git: Run, state: Callable[[Run], None]
) -> None:
    state(git)
    before = sorted(repo.rglob("*"))
    for row in REFUSED:
        request = request_of(row)
        assert (row.name, code_of(row.name, request)) == (row.name, "NOT_INITIALIZED")
        if "dry_run" in fields(type(request)):
            planned = code_of(row.name, replace(request, dry_run=True))
            assert (row.name, "dry run", planned) == (row.name, "dry run", "NOT_INITIALIZED")
    assert sorted(repo.rglob("*")) == before


@STATES
def test_without_a_policy_every_tool_answers_not_initialized(
    repo: Path, git: Run, state: Callable[[Run], None]
) -> None:
    state(git)
    for name, tool in TOOLS.items():
        if not tool.verb.before_init:
            found = calling.call(name, sample(name), repo)
            assert (name, found.is_error, found.value["code"]) == (name, True, "NOT_INITIALIZED")
            assert "NOT_INITIALIZED" in tool.every_code


@STATES
@pytest.mark.usefixtures("repo")
@pytest.mark.parametrize("verb", ["verify", "doctor"])
def test_verify_and_doctor_find_that_it_is_not_initialized(
    git: Run, state: Callable[[Run], None], verb: str
) -> None:
    state(git)
    found = router.call(verb, Workspace.open(), request_of(VERBS[verb]))
    assert (found.ok, "NOT_INITIALIZED" in {one.code for one in found.findings}) == (False, True)


@pytest.mark.quick
@pytest.mark.usefixtures("initialised")
def test_a_ledger_that_was_here_is_missing_and_what_can_be_shown_is_shown(git: Run) -> None:
    git("update-ref", "-d", LEDGER)
    assert code_of("log", request_of(VERBS["log"])) == "LEDGER_MISSING"
    assert [code_of(name, request_of(VERBS[name])) for name in ("status", "trace put", "trace list")] == [
        ""
    ] * 3


def test_a_policy_is_seen_also_where_nothing_notes_it(initialised: Path) -> None:
    (initialised / ".git/devs/tas-path").unlink()
    assert [code_of(name, request_of(VERBS[name])) for name in ("status", "trace put", "log")] == [""] * 3


def test_a_policy_that_cannot_be_read_is_no_sign_that_there_is_none(initialised: Path, git: Run) -> None:
    (initialised / ".git/devs/tas-path").unlink()
    tree = git("rev-parse", f"{LEDGER}^{{tree}}")
    for place in (f"objects/{tree[:2]}/{tree[2:]}", f"devs/newest/{tree}"):
        (initialised / ".git" / place).unlink(missing_ok=True)
    assert code_of("log", request_of(VERBS["log"])) == "LEDGER_MISSING"


def named_by_the_policy(git: Run, clone: Path) -> None:
    git("clone", "-q", "--single-branch", ".", str(clone))


def named_by_a_remote(git: Run, clone: Path) -> None:
    git("rm", "-q", "devs-policy.yaml")
    git("commit", "-q", "--no-verify", "-m", "no policy is tracked")
    git("clone", "-q", ".", str(clone))


def named_by_a_commit(git: Run, clone: Path) -> None:
    """A repository whose commit names an event that only another clone has."""
    git("init", "-q", str(clone))
    tip = git("rev-parse", LEDGER)
    git("commit", "-q", "--allow-empty", "-m", f"x\n\nDevs-Ledger: {tip}", where=clone)


@pytest.mark.parametrize("way", [named_by_the_policy, named_by_a_remote, named_by_a_commit])
def test_verify_says_that_a_ledger_is_missing_which_something_names(
    initialised: Path, git: Run, tmp_path: Path, way: Callable[[Run, Path], None]
) -> None:
    git("add", "-A", where=initialised)
    git("commit", "-q", "--allow-empty", "-m", "the policy")
    way(git, tmp_path / "clone")
    workspace = Workspace.open(tmp_path / "clone")
    found = router.call("verify", workspace, request_of(VERBS["verify"]))
    assert [one.code for one in found.findings] == ["LEDGER_MISSING"]
    with pytest.raises(DevsError, match="no devs-git ledger"):
        router.call("status", workspace, request_of(VERBS["status"]))
