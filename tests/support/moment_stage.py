"""A repository in which moments are made and gone to."""

from __future__ import annotations

from collections.abc import Sequence

from devs_git.commands import rewind
from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import make_moment
from devs_git.values import replace
from tests.support import moment_scene
from tests.support.rewind_cases import Case, Files


def moment(case: Case, *, keep_refs: bool = False, ignored: Sequence[str] = ()) -> str:
    """Make a moment of the case's worktree, at the time that it is; returns its name."""
    workspace = case.workspace
    maker = replace(moment_scene.maker(workspace), clock=workspace.clock)
    made = make_moment.make(maker, Occasion("prompt"), keep_refs=keep_refs, ignored=ignored)
    return f"moment:{made.moment_id}"


def all_kinds(case: Case) -> None:
    """Two checkpoints, and then uncommitted work of every kind."""
    case.stage("1", {"a": b"1\n", "gone": b"g\n", "d/f": b"f\n", "way": b"w\n", ".gitignore": b"*.log\n"})
    case.stage("2", {"a": b"2\n", "way": None, "swap": b"file\n"})
    dirty(case, {})


def dirty(case: Case, more: Files) -> None:
    """Staged, unstaged, deleted, renamed, untracked and intent-to-add files."""
    case.write({"a": b"staged\n", "staged": b"s\n", "intended": b"i\n"})
    case.git("add", "a", "staged")
    case.git("add", "-N", "intended")
    case.write({"a": b"staged\nand more\n", "gone": None, "new": b"n\r\n\0", "e/deep/new": b"e\n"})
    case.write({"run.log": b"ignored\n", **more})


def there_and_back_at_moment(case: Case, then: str, preserve: str | None = None) -> rewind.Result:
    """Go to a moment whose look the caller compares, and back with a plain undo."""
    before = case.look()
    done = case.rewind(then, preserve)
    there = case.look()
    case.undo()
    case.look().must_equal(before)
    case.undo()
    case.look().must_equal(there)
    return done
