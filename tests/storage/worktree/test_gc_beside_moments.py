"""`git gc --prune=now` runs while somebody goes to a moment: its objects come from another store, and no ref has them yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import rewind, undo
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.support import photograph
from tests.support.kills import with_thorough
from tests.support.moment_stage import moment
from tests.support.repository_contents import litter
from tests.support.rewind_cases import begin

LATER = ("capture", "backup", "journal", "index lock", "verify", "index in place", "refs", "unlock")


@pytest.mark.quick(2)
@pytest.mark.parametrize("step", with_thorough(["files", "raw bytes"], LATER))
def test_a_gc_at_any_moment_costs_nothing(tmp_path: Path, step: str) -> None:
    case = begin(tmp_path / "repo")
    case.commit({".gitattributes": b"*.txt text\n", "a.txt": b"a\n", "assumed": b"1\n"})
    case.git("update-index", "--assume-unchanged", "assumed")
    case.write({"a.txt": b"a\r\nb\n", "u.txt": b"u\r\n", "assumed": b"mine\n"})
    then, name = photograph.take(case.top), moment(case)
    case.git("update-index", "--no-assume-unchanged", "assumed")
    case.git("reset", "-q", "--hard")
    case.git("clean", "-qfd")
    before = photograph.take(case.top)

    def act(at: str, _done: int, _total: int) -> None:
        if at == step:
            case.git("-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now")

    request = rewind.Request(name, untracked="remove")
    try:
        rewind.run(replace(case.workspace, progress=act), request)
    except DevsError as error:
        assert error.code == "GIT_RESET_FAILED"  # noqa: PT017 - both ends are allowed
        assert step in ("capture", "backup")
        photograph.take(case.top).must_equal(before)
        rewind.run(case.workspace, request)
    photograph.take(case.top).must_equal(then)
    undo.run(case.workspace, undo.Request())
    photograph.take(case.top).must_equal(before)
    assert litter(case.top) == []
