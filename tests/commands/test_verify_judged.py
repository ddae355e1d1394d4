"""`verify --judged OID` takes the events up to OID as judged, and finds all that is wrong with the events after it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from devs_git.commands import verify
from devs_git.commands.verify import Result
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.gate_scene import approve
from tests.support.lost_objects import lose
from tests.support.scene import Scene

FOREIGN = "0123456789" * 4


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})


def check(scene: Scene, judged: str = "", **how: Any) -> Result:
    return verify.run(Workspace.open(scene.top), verify.Request(judged=judged, **how))


def codes(result: Result) -> list[str]:
    return sorted({one.code for one in result.findings if one.severity == "error"})


def forge(scene: Scene, *files: tuple[str, str | None], parent: str = LEDGER, kind: str = "x") -> str:
    """An event on top of `parent` that none of our verbs writes."""
    ledger, parent = scene.workspace.ledger, scene.git("rev-parse", parent)
    changes = tuple((path, None if text is None else text.encode()) for path, text in files)
    tree = ledger.objects.edit_tree(ledger.tree_of(parent), changes)
    return scene.git("commit-tree", tree, "-p", parent, "-m", f"x\n\nDevs-Event: {kind}")


def move(scene: Scene, oid: str) -> None:
    scene.git("update-ref", LEDGER, oid)


def ask(scene: Scene) -> str:
    return gate_scene.ask(Workspace.open(scene.top), kind="MANUAL")


@pytest.mark.quick
def test_a_green_check_says_up_to_where_it_judged_and_the_next_one_begins_there(scene: Scene) -> None:
    whole = check(scene)
    assert (whole.ok, whole.taken, whole.why_whole) == (True, 0, "")
    assert whole.judged == scene.git("rev-parse", LEDGER)
    scene.task("12", {"b.txt": "d\n"})
    approve(Workspace.open(scene.top), ask(scene))
    events = int(scene.git("rev-list", "--count", whole.judged))
    again = check(scene, whole.judged)
    assert (again.ok, again.taken, again.why_whole, again.judged) == (True, events, "", "")
    now = check(scene)
    assert (again.checked, again.commits, again.findings) == (now.checked, now.commits, now.findings)


def test_a_red_check_or_one_of_a_part_says_no_event(scene: Scene) -> None:
    assert check(scene, parts=("ledger", "tags")).judged == ""
    assert check(scene, parts=("ledger", "tags", "schemas")).judged
    move(scene, forge(scene, ("README.md", "other\n")))
    assert check(scene).judged == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [("README.md", "other\n"), ("tasks/x", "y\n"), ("gates/GATE/request.yaml", "a: b\n"), ("open/GATE", None),
     ("open/unasked", ""), ("policy.yaml", None), ("policy.yaml", "a: b\n"), ("superseded/x", "x\n")],
)  # fmt: skip
def test_an_event_that_was_written_by_hand_is_found_after_the_judged_one(
    scene: Scene, path: str, text: str | None
) -> None:
    gate = ask(scene)
    judged = check(scene).judged
    assert judged
    move(scene, forge(scene, (path.replace("GATE", gate), text)))
    scene.task("12", {"b.txt": "d\n"}) if not path.startswith(("open", "gates", "policy")) else None
    found = check(scene, judged)
    assert codes(found)
    assert found.findings == check(scene).findings
    assert (found.taken, found.judged, found.why_whole) == (0, "", "There are findings.")


@pytest.mark.quick
def test_an_event_beside_the_judged_one_is_judged(scene: Scene) -> None:
    judged, old = check(scene).judged, scene.git("rev-parse", f"{LEDGER}~2")
    beside = forge(scene, ("policy.yaml", "a: b\n"), parent=old)
    tree = scene.git("rev-parse", f"{judged}^{{tree}}")
    merged = scene.git(
        "commit-tree", tree, "-p", judged, "-p", beside, "-m", "sync\n\nDevs-Event: ledger.merged"
    )
    move(scene, merged)
    found = check(scene, judged)
    assert "POLICY_INVALID" in codes(found)
    assert found.findings == check(scene).findings


@pytest.mark.parametrize("judged", [FOREIGN, "HEAD", "an event of another line"])
def test_an_event_that_the_ledger_does_not_have_is_not_taken(scene: Scene, judged: str) -> None:
    if judged.startswith("an event"):
        judged = forge(scene, ("policy.yaml", "a: b\n"))
    oid = scene.git("rev-parse", judged)
    found = check(scene, oid)
    assert (found.ok, found.taken, found.why_whole) == (True, 0, f"Event {oid[:12]} is not in it.")
    assert found.judged == scene.git("rev-parse", LEDGER)
    move(scene, forge(scene, ("README.md", "other\n")))
    assert codes(check(scene, oid)) == ["LEDGER_MUTATED"]


@pytest.mark.parametrize("text", ["HEAD", "devs/ledger", "012345", "--range", FOREIGN + "\n"])
def test_only_a_full_oid_names_the_judged_event(text: str) -> None:
    with pytest.raises(DevsError) as refused:
        verify.Request(judged=text)
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "judged")


def test_a_decision_before_the_judged_event_must_be_signed_if_the_base_does_not_know_it(scene: Scene) -> None:
    approve(Workspace.open(scene.top), ask(scene))
    judged = check(scene).judged
    scene.task("12", {"b.txt": "d\n"})
    assert codes(check(scene, judged, parts=("ledger",))) == []
    found = check(scene, judged, parts=("ledger",), require="signed")
    assert codes(found) == ["BAD_SIGNATURE"]
    assert found.findings == check(scene, parts=("ledger",), require="signed").findings


def test_tags_of_tasks_that_newer_events_name_are_judged(scene: Scene) -> None:
    judged = check(scene).judged
    scene.task("12", {"b.txt": "d\n"})
    for task, found in (("12", ["TAG_MISSING"]), ("11", [])):
        tag = scene.git("rev-parse", f"refs/tags/devs/task-{task}")
        scene.git("tag", "-d", f"devs/task-{task}")
        assert codes(check(scene)) == ["TAG_MISSING"]
        assert codes(check(scene, judged)) == found
        scene.git("update-ref", f"refs/tags/devs/task-{task}", tag)
    scene.git("update-ref", "refs/devs/checkpoints/task-12/9", scene.git("rev-parse", "devs/task-12"))
    assert codes(check(scene, judged)) == ["TAG_MOVED"]


def test_a_new_event_about_an_old_task_has_all_tags_of_this_task_judged(scene: Scene) -> None:
    judged = check(scene).judged
    tag = scene.git("rev-parse", "refs/tags/devs/task-10")
    kind = f"superseded\nDevs-Gone: {tag}"
    move(scene, forge(scene, kind=kind))
    assert check(scene, judged).findings == check(scene).findings != ()
    scene.git("tag", "-d", "devs/task-10")
    scene.git("update-ref", "-d", "refs/devs/checkpoints/task-10/1")
    assert (codes(check(scene)), check(scene, judged).taken > 0) == ([], True)
    scene.git("update-ref", "refs/tags/devs/task-10", "HEAD")
    assert codes(check(scene, judged)) == codes(check(scene)) != []


def test_a_commit_while_a_gate_was_open_is_found_whenever_the_gate_was_asked(scene: Scene) -> None:
    ask(scene)
    judged = scene.git("rev-parse", LEDGER)
    scene.write({"x.txt": "x"})
    scene.git("add", "x.txt")
    scene.git("commit", "-qm", f"x\n\nDevs-Ledger: {judged}")
    found = check(scene, judged, range="HEAD~1..HEAD")
    assert codes(found) == ["COMMITTED_WHILE_FROZEN"]
    assert found.findings == check(scene, range="HEAD~1..HEAD").findings


def test_commits_bound_to_no_event_are_warnings_and_the_ledger_is_not_judged_for_them(scene: Scene) -> None:
    judged = check(scene).judged
    scene.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unbound")
    found = check(scene, judged, range="HEAD~1..HEAD", parts=("ledger", "tags", "commits"))
    assert [(one.code, one.severity) for one in found.findings] == [("UNBOUND_COMMIT", "warning")]
    assert (found.ok, found.taken > 0) == (True, True)


@pytest.mark.parametrize("lost", ["~1", "~1^{tree}", "~3^{tree}", "^{tree}", ":policy.yaml"])
def test_what_is_missing_below_the_judged_event_is_named(scene: Scene, lost: str) -> None:
    judged = check(scene).judged
    scene.task("12", {"b.txt": "d\n"})
    lose(scene.top, scene.git("rev-parse", f"{judged}{lost}"))
    assert codes(check(scene, judged)) == codes(check(scene)) != []


@pytest.mark.quick
def test_the_last_lines_say_what_was_taken_as_judged(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["devs-git", "verify", *words])
        monkeypatch.chdir(scene.top)
        with pytest.raises(SystemExit) as left:
            cli()
        assert not left.value.code
        return capsys.readouterr().out

    answer = json.loads(said("--json"))
    judged = answer["judged"]
    assert (judged, answer["taken"], answer["why_whole"]) == (scene.git("rev-parse", LEDGER), 0, "")
    many = scene.git("rev-list", "--count", LEDGER)
    taken, last = said("--judged", judged).splitlines()[-2:]
    assert taken == (
        f"Taken as judged: {many} events. Tags of tasks that no newer event names were not looked at."
    )
    assert last.startswith("verified: ledger, tags, ")
    assert said("--judged", "").splitlines()[-1] == last
    github = said("--judged", FOREIGN, "--format", "github").splitlines()
    text = "The option --judged left nothing out. Event 012345678901 is not in it."
    assert github[-2:] == [text, last]
    assert f"::notice title=devs-git verify::{text}" in github
