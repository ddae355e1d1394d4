"""undo where a nested repository, committed or not, is in the way: refused before anything is written, or done."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from devs_git.errors import DevsError
from tests.support.content_oracle import ProtectedContents
from tests.support.rewind_cases import Case, Files, Link

WANTED: dict[str, Files] = {
    "file": {"d": b"f\n"},
    "link": {"d": Link(b"a")},
    "below": {"d/f": b"f\n"},
    "deep": {"d/e/f": b"f\n", "d/g": b"g\n"},
}
NESTED = ("d", "d/e", "d/f")


def nest(case: Case, folder: str, how: str) -> None:
    """A nested repository with a file and a commit; `how` says what git of the repository around it knows of it."""
    place = case.top / folder
    place.mkdir(parents=True)
    if how == "tracked inside":
        (place / "f").write_text("tracked before\n")
        case.git("add", folder)
        case.git("commit", "-q", "-m", "files")
    (place / "hi").write_text("hi\n")
    words = "git init -q && git add . && git commit -q -m nested && echo more > more"
    subprocess.run(["sh", "-c", words], cwd=place, check=True)
    if how != "untracked":
        case.git("add", folder)
        case.git("commit", "-q", "-m", "nested")
    if how == "no longer one":
        shutil.rmtree(place / ".git")
    if how == "gone":
        shutil.rmtree(place)
    if how == "bare name":  # as `git worktree add` and `git submodule` leave it: a file that names the folder
        (place / ".git").rename(case.top.parent / f"gitdir-{folder.replace('/', '-')}")
        (place / ".git").write_text(f"gitdir: {case.top.parent}/gitdir-{folder.replace('/', '-')}\n")


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [("branch", None), ("discard", "save")])
@pytest.mark.parametrize(
    "how", ["committed", "untracked", "tracked inside", "bare name", "no longer one", "gone"]
)
@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("wanted", WANTED)
def test_an_undo_over_a_nested_repository_is_refused_before_the_first_write_or_done(
    case: Case, wanted: str, nested: str, how: str, options: tuple[str, str | None]
) -> None:
    case.stage("1", {"a": b"a\n"})
    case.stage("2", {**WANTED[wanted], "z": b"z\n"})
    done = case.rewind("1")
    nest(case, nested, how)
    before, held, refs = case.look(), ProtectedContents.now(case), case.git("for-each-ref")
    refused = _undone(case, done.rewind_id, *options)
    if refused is None:
        assert case.git("ls-files", "d").split("\n") == sorted(map(str, WANTED[wanted]))
    else:
        case.look().must_equal(before)
        assert refused.code == "GIT_RESET_FAILED", refused
        assert refused.details["reason"] in ("nested_repository", "untracked_in_the_way"), refused
        assert case.git("for-each-ref") == refs
    held.assert_nothing_lost(case)
    assert not (case.top / ".git/index.lock").exists()


def _undone(case: Case, operation: str, preserve: str, untracked: str | None) -> DevsError | None:
    try:
        case.undo(operation, preserve, untracked)
    except DevsError as refused:
        return refused
    return None
