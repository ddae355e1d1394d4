"""A variable that names another folder of objects: what git writes or finds there is missing without the variable.

git itself sets these variables in the hooks of a server. The tests of pushes run them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git_calls import git
from tests.support.verb_calls import call

OWN, OTHERS = "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"


@pytest.mark.quick
@pytest.mark.parametrize("name", [OWN, OTHERS])
def test_a_command_that_writes_is_refused_and_says_how_to_run_it(
    name: str,
    initialised: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (initialised / "a.txt").write_text("changed\n")
    assert call(monkeypatch, "task", "start", "10") == 0
    before = git("for-each-ref")
    monkeypatch.setenv(OTHERS, str(initialised / ".git/objects"))
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert call(monkeypatch, "task", "complete", "10", "--all", "-m", "done") != 0
    assert f"env -u {OWN} -u {OTHERS}" in capsys.readouterr().err
    assert call(monkeypatch, "status") == 0
    for variable in (OWN, OTHERS):
        monkeypatch.delenv(variable, raising=False)
    assert (git("for-each-ref"), list((tmp_path / "elsewhere").iterdir())) == (before, [])
    assert call(monkeypatch, "task", "complete", "10", "--all", "-m", "done") == 0


@pytest.mark.parametrize("path", ["{}/.git/objects", ".git/../.git/objects"])
def test_the_repositorys_own_folder_of_objects_is_no_other(
    path: str, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN, path.format(initialised))
    monkeypatch.setenv(OTHERS, "")
    assert call(monkeypatch, "task", "start", "10") == 0
    monkeypatch.delenv(OWN)
    assert git("fsck", "--connectivity-only") == ""
