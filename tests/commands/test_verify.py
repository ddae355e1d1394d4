"""verify finds what no writer of ours does, and nothing where only ours wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import gate_approve, rewind, undo, verify
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.scene import Scene


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})


def codes(scene: Scene, *parts: str, span: str = "", severity: str = "error") -> list[str]:
    result = verify.run(Workspace.open(scene.top), verify.Request(parts or ("repository",), span))
    assert result.ok == all(f.severity != "error" for f in result.findings)
    return sorted({f.code for f in result.findings if f.severity == severity})


def bound(scene: Scene, ledger: str, name: str) -> str:
    """A commit whose trailer names a ledger event."""
    scene.write({name: name})
    scene.git("add", name)
    scene.git("commit", "-qm", f"{name}\n\nDevs-Ledger: {ledger}")
    return scene.git("rev-parse", "HEAD")


def ask(scene: Scene) -> str:
    """Open a gate; the event's oid."""
    gate_scene.ask(Workspace.open(scene.top), kind="MANUAL")
    return scene.git("rev-parse", LEDGER)


def decide(scene: Scene) -> str:
    opened = Workspace.open(scene.top)
    gate_id = opened.ledger.open_gates()[0]
    gate_approve.run(opened, gate_approve.Request(gate_id, ask=lambda _text: None))
    return scene.git("rev-parse", LEDGER)


def forge(scene: Scene, path: str, text: str | None) -> None:
    """Append to the ledger by plumbing what no writer of ours would."""
    ledger = scene.workspace.ledger
    tip = ledger.tip()
    tree = ledger.objects.edit_tree(tip.tree, ((path, None if text is None else text.encode()),))
    commit = scene.git("commit-tree", tree, "-p", tip.oid, "-m", "x\n\nDevs-Event: task.started")
    scene.git("update-ref", LEDGER, commit)


@pytest.mark.quick
def test_what_our_verbs_did_verifies(scene: Scene) -> None:
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    undo.run(Workspace.open(scene.top), undo.Request())
    ask(scene)
    bound(scene, decide(scene), "after.txt")
    assert codes(scene) == []
    assert codes(scene, "commits", severity="warning") == ["UNBOUND_COMMIT"]


@pytest.mark.parametrize(
    ("path", "text"),
    [("README.md", "other\n"), ("README.md", None), ("tasks/x", "y\n"), ("gates/GATE/request.yaml", "a: b\n"),
     ("open/GATE", None), ("open/unasked", ""), ("policy.yaml", None)],
)  # fmt: skip
def test_a_ledger_that_was_written_by_hand_is_mutated(scene: Scene, path: str, text: str | None) -> None:
    ask(scene)
    forge(scene, path.replace("GATE", scene.workspace.ledger.open_gates()[0]), text)
    assert codes(scene, "ledger") == ["LEDGER_MUTATED"]


def test_a_second_root_is_a_fork_and_no_ledger_is_missing(scene: Scene) -> None:
    root = scene.git("commit-tree", scene.workspace.ledger.tip().tree, "-m", "another")
    merged = scene.git("commit-tree", f"{LEDGER}^{{tree}}", "-p", LEDGER, "-p", root, "-m", "merge")
    scene.git("update-ref", LEDGER, merged)
    assert "LEDGER_FORK" in codes(scene, "ledger")
    scene.git("update-ref", "-d", LEDGER)
    assert codes(scene, "ledger") == ["LEDGER_MISSING"]


def test_a_ledger_that_begins_elsewhere_than_the_tracked_policy_says_is_a_fork(scene: Scene) -> None:
    scene.write({"devs-policy.yaml": f'genesis: "{"a" * 40}"\n'})
    scene.git("add", "-A")
    scene.git("commit", "-qm", "policy")
    assert codes(scene, "ledger") == ["LEDGER_FORK"]


def test_a_commit_made_while_a_gate_was_open_is_found(scene: Scene) -> None:
    bound(scene, ask(scene), "frozen.txt")
    assert codes(scene, "commits") == ["COMMITTED_WHILE_FROZEN"]
    decide(scene)
    assert codes(scene, "commits") == ["COMMITTED_WHILE_FROZEN"]


def test_a_commit_bound_to_the_time_before_the_gate_must_have_been_there_then(scene: Scene) -> None:
    before = scene.git("rev-parse", LEDGER)
    bound(scene, before, "in-time.txt")
    ask(scene)
    assert codes(scene, "commits") == []
    bound(scene, before, "late.txt")
    assert codes(scene, "commits") == ["UNSEEN_AT_FREEZE"]


def test_a_commit_that_names_an_unknown_event_or_an_earlier_one_than_its_parent(scene: Scene) -> None:
    early, late = scene.git("rev-parse", f"{LEDGER}~1"), scene.git("rev-parse", LEDGER)
    bound(scene, late, "one.txt")
    bound(scene, early, "two.txt")
    assert codes(scene, "commits") == ["LEDGER_REGRESSION"]
    bound(scene, "f" * 40, "three.txt")
    assert codes(scene, "commits") == ["LEDGER_REGRESSION", "LEDGER_ROLLBACK"]


def test_a_range_looks_at_its_own_commits_only(scene: Scene) -> None:
    bound(scene, "f" * 40, "bad.txt")
    bound(scene, scene.git("rev-parse", LEDGER), "good.txt")
    assert codes(scene, "commits", span="HEAD~1..HEAD") == []
    assert codes(scene, "commits", span="HEAD~2..") == ["LEDGER_ROLLBACK"]
    with pytest.raises(DevsError) as refused:
        codes(scene, "commits", span="nowhere..HEAD")
    assert refused.value.details["field"] == "range"


def test_tags_that_moved_went_or_lost_their_message(scene: Scene) -> None:
    tag = scene.git("rev-parse", "devs/task-11")
    scene.git("tag", "-d", "devs/task-11")
    assert codes(scene, "tags") == ["TAG_MISSING"]
    scene.git("tag", "devs/task-11", "HEAD")
    assert codes(scene, "tags") == ["TAG_NOT_ANNOTATED"]
    scene.git("tag", "-f", "-m", "other", "devs/task-11", "HEAD")
    assert codes(scene, "tags") == ["TAG_MOVED"]
    scene.git("update-ref", "refs/tags/devs/task-11", tag)
    scene.git("update-ref", "refs/tags/devs/task-99", tag)
    assert codes(scene, "tags") == ["TAG_MOVED"]


def test_a_shallow_clone_proves_nothing_and_says_how_to_deepen_it(scene: Scene, tmp_path: Path) -> None:
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{scene.top}", str(clone)], check=True)
    told = {}
    for form in verify.FORMATS:
        words = [sys.executable, "-m", "devs_git", "verify", "--format", form]
        done = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=False)
        assert (done.returncode, "git fetch --unshallow" in done.stdout) == (1, True)
        told[form] = done.stdout
    answer = json.loads(told["json"])
    assert (answer["ok"], [one["code"] for one in answer["findings"]]) == (False, ["CONFLICT"])
    assert told["github"].startswith("::error title=CONFLICT")


def test_the_command_says_every_finding_and_exits_1(scene: Scene) -> None:
    bound(scene, "f" * 40, "bad.txt")
    words = [sys.executable, "-m", "devs_git", "verify", "commits"]
    done = subprocess.run([*words, "--format", "github"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "::error title=LEDGER_ROLLBACK::Commit " in done.stdout
    assert (
        json.loads(subprocess.run([*words, "--json"], capture_output=True, check=False).stdout)["ok"] is False
    )


def test_a_finding_tells_code_ref_or_file_line_and_hint(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = bound(scene, "f" * 40, "bad.txt")
    scene.write({"devs-policy.yaml": "# comment\napprovers: 1\n"})
    scene.git("add", "-A")
    scene.git("commit", "-qm", "policy")
    assert cli.main(["verify", "--format", "json", "commits", "policy"], standalone_mode=False) == 1
    found = {row["code"]: row for row in json.loads(capsys.readouterr().out)["findings"]}
    assert set(found["LEDGER_ROLLBACK"]) == {"code", "severity", "message", "hint", "ref", "file", "line"}
    assert found["LEDGER_ROLLBACK"]["ref"] == commit
    wrong = found["POLICY_INVALID"]
    assert (wrong["file"], wrong["line"], bool(wrong["hint"])) == ("devs-policy.yaml", 2, True)
    cli.main(["verify", "--format", "github", "policy"], standalone_mode=False)
    assert "::error file=devs-policy.yaml,line=2,title=POLICY_INVALID::" in capsys.readouterr().out


def test_a_range_of_three_dots_is_told_apart(scene: Scene) -> None:
    with pytest.raises(DevsError) as refused:
        codes(scene, "commits", span="main...HEAD")
    assert (refused.value.details["field"], refused.value.hint) == ("range", "Use two dots: main..HEAD")
