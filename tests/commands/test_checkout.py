"""checkout: local branches only, local changes carried along, everything as before where it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import checkout, init
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.scene import Scene, contents


@pytest.fixture
def scene(ledgered: Workspace) -> Scene:
    """`main` and a branch `other` one commit back, with a different f3.txt."""
    made = Scene(ledgered)
    made.git("branch", "other", "HEAD~1")
    return made


def go(scene: Scene, name: str) -> checkout.Result:
    return checkout.run(Workspace.open(scene.top), checkout.Request(name))


def looks(scene: Scene, *refs: str) -> tuple[object, ...]:
    state = (scene.git("for-each-ref", *refs), scene.git("rev-parse", "HEAD"), scene.git("status", "-s"))
    return contents(scene.top), *state


def refusal(scene: Scene, name: str, *refs: str) -> DevsError:
    """The refusal of a checkout that must have changed nothing."""
    before = looks(scene, *refs)
    with pytest.raises(DevsError) as refused:
        go(scene, name)
    assert looks(scene, *refs) == before
    assert not (scene.top / ".git/index.lock").exists()
    assert not list((scene.top / ".git/devs/op").glob("*"))
    return refused.value


@pytest.mark.quick
def test_it_switches_and_carries_local_changes_along(scene: Scene) -> None:
    (scene.top / "a.txt.new").write_text("untracked\n")
    (scene.top / "f1.txt").write_text("edited\n")
    (scene.top / "staged.txt").write_text("staged\n")
    scene.git("add", "staged.txt")
    result = go(scene, "other")
    assert (result.branch, result.previous) == ("other", "main")
    assert result.commit_hash == scene.git("rev-parse", "--short", "other")
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/other"
    assert scene.git("status", "-s").split("\n") == [" M f1.txt", "A  staged.txt", "?? a.txt.new"]
    assert not (scene.top / "f3.txt").exists()
    go(scene, "main")
    assert (scene.top / "f3.txt").read_text() == "3\n"


def test_it_is_recorded_in_the_ledger(scene: Scene) -> None:
    go(scene, "other")
    event = next(scene.workspace.ledger.events())
    assert (event.type, event.get("Devs-Branch"), event.get("Devs-Tier")) == (
        "checked-out",
        "refs/heads/other",
        "1",
    )


def test_local_changes_in_the_way_are_refused_and_named(scene: Scene) -> None:
    (scene.top / "f3.txt").write_text("mine\n")
    error = refusal(scene, "other")
    assert error.code == "CHECKOUT_FAILED"
    assert "f3.txt" in error.message


def test_staged_changes_in_the_way_are_refused(scene: Scene) -> None:
    (scene.top / "f3.txt").write_text("mine\n")
    scene.git("add", "f3.txt")
    assert refusal(scene, "other").code == "CHECKOUT_FAILED"


@pytest.mark.parametrize("how", ["staged", "intended"])
@pytest.mark.parametrize(
    ("here", "there", "mine"),
    [
        ("d/f", "d", "d/g"),
        ("", "d", "d/g"),
        ("", "d/f", "d"),
        ("d", "d/f", "d/g"),
        ("d", "d/e/f", "d/e"),
        ("d/e/f", "d", "d/e/g"),
    ],
)
def test_what_is_staged_where_a_folder_becomes_a_file_or_a_file_a_folder_is_refused(
    scene: Scene, here: str, there: str, mine: str, how: str
) -> None:
    """git's own switch and read-tree drop it without a word, from the index and from the disk."""
    for branch, name in (("other", there), ("main", here)):
        scene.git("switch", "-q", branch)
        if name:
            scene.write({name: f"of {branch}\n"})
            scene.git("add", name)
            scene.git("commit", "-q", "-m", branch)
    if (scene.top / "d").is_file():
        scene.git("rm", "-q", "d")
    scene.write({mine: "mine\n", ".git/info/exclude": "/d\n"})
    scene.git("add", "-f", *(("-N",) if how == "intended" else ()), mine)
    refused = refusal(scene, "other")
    assert (refused.code, refused.details["paths"]) == ("CHECKOUT_FAILED", [mine])


@pytest.mark.parametrize("ignored", [False, True])
def test_an_untracked_or_ignored_file_in_the_way_is_never_overwritten(scene: Scene, *, ignored: bool) -> None:
    go(scene, "other")
    if ignored:
        (scene.top / ".git/info/exclude").write_text("f3.txt\n")
    (scene.top / "f3.txt").write_text("mine\n")
    error = refusal(scene, "main")
    assert (error.code, error.details["paths"]) == ("CHECKOUT_FAILED", ["f3.txt"])


def test_a_nested_repository_in_the_way_is_never_touched(scene: Scene) -> None:
    go(scene, "other")
    subprocess.run(["git", "init", "-q", "f3.txt"], cwd=scene.top, check=True)
    assert refusal(scene, "main").details["paths"] == ["f3.txt"]


def test_a_name_that_exists_only_on_a_remote_makes_no_branch(scene: Scene) -> None:
    scene.git("update-ref", "refs/remotes/upstream/far", "HEAD")
    assert refusal(scene, "far").code == "CHECKOUT_FAILED"
    assert refusal(scene, "nowhere").code == "CHECKOUT_FAILED"


def test_the_name_of_any_configured_remote_is_refused(scene: Scene) -> None:
    scene.git("config", "remote.upstream.url", "../x")
    assert refusal(scene, "upstream/main").message.startswith(
        "Branch checkout restricted to local branches only."
    )


def test_a_file_and_a_tag_named_like_the_branch_change_nothing(scene: Scene) -> None:
    (scene.top / "other").write_text("a file\n")
    scene.git("tag", "other", "main")
    go(scene, "other")
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/other"
    assert scene.git("rev-parse", "HEAD") == scene.git("rev-parse", "refs/heads/other")
    assert (scene.top / "other").read_text() == "a file\n"


def test_a_branch_named_like_an_option_is_refused_and_after_two_dashes_is_a_name(scene: Scene) -> None:
    scene.git("update-ref", "refs/heads/--force", "HEAD")
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", "checkout", "--", "--force"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.split(":")[0]) == (3, "INVALID_BRANCH")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("käse", "git switch 'käse'"),
        ("a@b", "git switch a@b"),
        ("fix#12", "git switch 'fix#12'"),
        ("origin/mine", "git switch origin/mine"),
        ("--force", "git branch NAME refs/heads/--force && devs-git checkout NAME"),
        ("HEAD", "git branch NAME refs/heads/HEAD && devs-git checkout NAME"),
    ],
)
@pytest.mark.parametrize("frozen", [False, True])
def test_a_branch_that_exists_under_a_name_that_the_rule_forbids_is_told_as_that(
    scene: Scene, name: str, typed: str, frozen: bool
) -> None:
    scene.git("update-ref", f"refs/heads/{name}", "other")
    if frozen:
        gate_scene.ask(scene.workspace, kind="MANUAL")
    with pytest.raises(DevsError) as refused:
        router.call("checkout", Workspace.open(scene.top), checkout.Request(name))
    error = refused.value
    assert (error.code, error.details["branch"]) == ("INVALID_BRANCH", name)
    assert error.message.startswith(f"The branch {name!r} exists, but devs-git does not switch to it: ")
    assert typed in error.hint
    if not frozen:  # what the hint says leads there
        words = typed.replace("NAME", "named").replace("devs-git ", f"{sys.executable} -m devs_git ")
        subprocess.run(["sh", "-c", words], cwd=scene.top, check=True, capture_output=True)
        assert scene.git("rev-parse", "HEAD") == scene.git("rev-parse", "refs/heads/other")


def test_the_ledger_and_a_name_that_no_branch_has_are_told_as_before(scene: Scene) -> None:
    assert "it is the ledger" in refusal(scene, "devs/ledger").message
    assert "is not a local branch" in refusal(scene, "käse").message


def test_a_branch_of_another_worktree_is_refused(scene: Scene, tmp_path: Path) -> None:
    scene.git("worktree", "add", "-q", str(tmp_path / "second"), "other")
    assert "second" in refusal(scene, "other").message


def test_from_a_detached_head_and_in_the_middle_of_a_merge(scene: Scene) -> None:
    scene.git("checkout", "-q", "--detach", "main")
    assert go(scene, "other").previous == scene.git("rev-parse", "main")
    (scene.top / ".git/MERGE_HEAD").write_text(scene.git("rev-parse", "main"))
    assert refusal(scene, "main").code == "CHECKOUT_FAILED"


@pytest.mark.quick
@pytest.mark.parametrize("deleted", [False, True])
def test_without_a_ledger_it_makes_none(workspace: Workspace, *, deleted: bool) -> None:
    """An event without a genesis below it would be a second root, and would unfreeze what lost its ledger."""
    (workspace.top / "a").write_text("a\n")
    workspace.git.run("add", "a")
    workspace.with_identity(workspace.git).run("commit", "-qm", "a")
    if deleted:
        init.run(workspace, init.Request())
        workspace.git.run("update-ref", "-d", "refs/heads/devs/ledger")
    before = workspace.git.text("for-each-ref")
    with pytest.raises(DevsError) as refused:
        checkout.run(Workspace.open(workspace.top), checkout.Request("main"))
    assert refused.value.code == ("LEDGER_MISSING" if deleted else "NOT_INITIALIZED")
    assert workspace.git.text("for-each-ref") == before


def test_without_git_on_the_path_it_says_so(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DevsError) as refused:
        go(scene, "other")
    assert refused.value.code == "GIT_NOT_FOUND"
