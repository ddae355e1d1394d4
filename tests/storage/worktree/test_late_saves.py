"""An editor saves during a move with a slow filter: each save is at its path, or it is reported and stored behind a ref."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, restore, rewind, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.model_runs import SEED
from tests.support.repository_contents import blob, litter, stored_oids
from tests.support.rewind_cases import Case, Files, Link, begin

RUNS = int(os.environ.get("DEVS_TEST_COUNT_LATE_SAVES", "12"))
# The filter runs this while git waits for it: the editor saves once, in the middle of git's write.
FILTER = "cat; if test -e .git/armed; then rm .git/armed; sh .git/editor >&2; fi"
STEPS = (
    "filter",
    "filter",
    "filter",
    "filter",
    "capture",
    "backup",
    "journal",
    "index lock",
    "files",
    "filter",
    "raw bytes",
    "verify",
    "index in place",
    "refs",
    "transaction",
    "active task",
    "unlock",
    "journal closed",
)
PATHS = ("a.txt", "b.txt", "gone.txt", "new.txt", "slow.txt", "d/e.txt", "x", "x/y", "stays.txt")


def begun(top: Path) -> Case:
    """Two tasks. Between them files are changed, added and deleted, and a file becomes a folder."""
    case = begin(top)
    case.git("config", "filter.slow.clean", "cat")
    case.git("config", "filter.slow.smudge", FILTER)
    attributes: Files = {".gitattributes": b"slow.txt filter=slow\n*.txt text\n"}
    old: Files = {
        "a.txt": b"a1\n",
        "b.txt": b"b1\n",
        "gone.txt": b"g1\n",
        "slow.txt": b"s1\n",
        "x": b"x1\n",
        "l": Link(b"a"),
    }
    case.stage("1", {**attributes, **old, "d/e.txt": b"e1\n", "stays.txt": b"s\n"})
    case.git("branch", "other")
    new: Files = {
        "a.txt": b"a2\n",
        "b.txt": None,
        "new.txt": b"n2\n",
        "slow.txt": b"s2\n",
        "x": None,
        "x/y": b"y2\n",
    }
    case.stage("2", {**new, "d/e.txt": b"e2\n", "gone.txt": b"g2\n", "l": Link(b"b")})
    return case


def editor(how: str, path: str, text: str) -> str:
    """Shell commands that save a file, by truncating it or by renaming another file over it, and record that they did."""
    save = f"printf '{text}' > '{path}'"
    if how == "rename":
        save = f"printf '{text}' > '{path}~' && mv -f '{path}~' '{path}'"
    return f"test -d '{path}' || {{ {save}; }} 2>/dev/null && test ! -d '{path}' && touch .git/saved"


def saving(case: Case, request: Any, step: str, save: tuple[str, str, str]) -> Any:
    """The result of a verb. Somebody saves just before a step, or during a filter.

    `save`: how, the path, and the text. With `open` the file was opened before and is written to at that step.
    """
    how, path, text = save
    (case.top / ".git/editor").write_text(editor(how, path, text.replace("\n", "\\n")))
    place, done = case.top / path, list[str]()
    if how == "open" and place.is_file() and not place.is_symlink():
        return _writing_to_what_was_opened(case, request, step, (place, text.encode()))

    def progress(name: str, _done: int, _total: int) -> None:
        if step == "filter" and name == "files":
            (case.top / ".git/armed").touch()
        elif name == step and not done:
            done.append(name)
            os.system(f"cd '{case.top}' && sh .git/editor 2>/dev/null")  # noqa: S605 - our own commands

    return _called(case, request, progress)


def _writing_to_what_was_opened(case: Case, request: Any, step: str, save: tuple[Path, bytes]) -> Any:
    with save[0].open("r+b", buffering=0) as stream:

        def progress(name: str, _done: int, _total: int) -> None:
            if name == ("raw bytes" if step == "filter" else step):
                stream.truncate(0)
                stream.seek(0)
                stream.write(save[1])
                (case.top / ".git/saved").touch()

        return _called(case, request, progress)


def _called(case: Case, request: Any, progress: Any) -> Any:
    verb = type(request).__module__.rpartition(".")[2]
    try:
        return router.call(verb, replace(Workspace.open(case.top), progress=progress), request)
    except DevsError as error:
        return error


def is_kept(case: Case, path: str, text: bytes, outcome: Any) -> bool:
    """Whether a save is at its path, or is named in the result and reachable from a ref."""
    place = case.top / path
    if place.is_file() and not place.is_symlink() and place.read_bytes() == text:
        return True
    named = outcome.details.get("paths", ()) if isinstance(outcome, DevsError) else outcome.edited
    return path in named and blob(text) in stored_oids(case.top)


REQUESTS = (
    rewind.Request("1", preserve="branch"),
    restore.Request("1"),
    checkout.Request("other"),
    undo.Request(),
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("request_", REQUESTS, ids=("rewind", "restore", "checkout", "undo"))
def test_what_an_editor_saves_at_any_step_of_a_move_is_at_its_path_or_named_and_kept(
    tmp_path: Path, request_: Any
) -> None:
    chance = random.Random(SEED)
    mould = begun(tmp_path / "mould")
    if isinstance(request_, undo.Request):
        mould.rewind("1")
    for run in range(RUNS):
        case = Case(tmp_path / "repo")
        shutil.copytree(mould.top, case.top, symlinks=True)
        step, how = chance.choice(STEPS), chance.choice(("truncate", "rename", "open"))
        path, text = chance.choice(PATHS), f"saved {run}\n"
        outcome = saving(case, request_, step, (how, path, text))
        note = (request_, step, how, path, outcome, getattr(outcome, "__cause__", None))
        if (case.top / ".git/saved").exists():
            assert is_kept(case, path, text.encode(), outcome), note
        if not isinstance(outcome, DevsError):
            _is_moved(case, path, outcome, note)
        elif outcome.code == "RECOVERY_NEEDED":
            assert outcome.hint, note
        else:
            assert litter(case.top) == [], note
        assert case.git("fsck", "--no-dangling", "--no-progress") == ""
        shutil.rmtree(case.top)


def _is_moved(case: Case, path: str, outcome: Any, note: object) -> None:
    """Each file that differs from the verb's result is the saved one, or is named in the result."""
    changed = case.git("status", "--porcelain", "-uall").splitlines()
    assert {line[3:] for line in changed} <= {path, *outcome.edited}, note
