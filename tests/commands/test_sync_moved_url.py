"""A remote whose URL changed: what its new repository has, told as that, with the way out."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.remotes import remote_urls
from devs_git.workspace import Workspace
from tests.support.clones import LEDGER, Pair, refs_of
from tests.support.git_calls import git


def refused(pair: Pair) -> DevsError:
    with pytest.raises(DevsError) as caught:
        pair.ann.sync()
    assert caught.value.message.startswith(
        "The URL of origin changed since this clone last ran sync with it, and"
    )
    assert caught.value.details["reason"] == "url_changed"
    assert "git remote set-url origin" in caught.value.hint
    assert str(pair.ann.top.parent) not in caught.value.message + caught.value.hint
    return caught.value


@pytest.mark.quick
def test_an_empty_repository_at_a_new_url_is_no_rollback_and_can_be_started_anew(
    pair: Pair, tmp_path: Path
) -> None:
    git("init", "-q", "--bare", "new.git", where=tmp_path)
    pair.ann.git("remote", "set-url", "origin", "../new.git")
    error = refused(pair)
    assert error.message.endswith("and the new one is empty.")
    assert not (pair.ann.top.parent / "new.git" / LEDGER).exists()
    way = re.search(r"start again there: (.*) && devs-git sync origin$", error.hint)
    assert way
    subprocess.run(["sh", "-c", way[1]], cwd=pair.ann.top, check=True)
    pair.ann.sync()
    assert refs_of(tmp_path / "new.git")[LEDGER] == pair.ann.tip


def test_a_repository_without_a_ledger_and_one_with_an_older_ledger_are_told(
    pair: Pair, tmp_path: Path
) -> None:
    git("clone", "-q", "--mirror", str(pair.origin), "older.git", where=tmp_path)
    pair.ann.task("10")
    pair.ann.sync()
    pair.ann.git("remote", "set-url", "origin", "../older.git")
    assert "without the event" in refused(pair).message
    git("update-ref", "-d", LEDGER, where=tmp_path / "older.git")
    assert refused(pair).message.endswith("and the new one has no devs-git ledger.")


def test_the_ledger_of_another_repository_is_told_as_that(pair: Pair, tmp_path: Path) -> None:
    git("init", "-q", "-b", "main", "stranger", where=tmp_path)
    stranger = tmp_path / "stranger"
    git("commit", "-q", "--allow-empty", "-m", "stranger", where=stranger)
    router.call("init", Workspace.open(stranger), init.Request())
    pair.ann.git("remote", "set-url", "origin", "../stranger")
    error = refused(pair)
    assert error.code == "LEDGER_FORK"
    assert "has the ledger of another repository" in error.message


def test_a_remote_that_only_has_a_new_url_is_synced_and_the_result_says_so(
    pair: Pair, tmp_path: Path
) -> None:
    pair.origin.rename(tmp_path / "renamed.git")
    pair.ann.git("remote", "set-url", "origin", "../renamed.git")
    assert pair.ann.sync().url_before == "../origin.git"
    assert pair.ann.sync().url_before == ""


def test_no_credentials_are_noted_or_shown_and_a_new_password_is_no_new_url(
    pair: Pair, tmp_path: Path
) -> None:
    top = pair.ann.top
    pair.ann.git("config", f"url.{tmp_path}/.insteadOf", "https://nobody@example.org/")
    for password in ("one", "p@two"):
        pair.ann.git("remote", "set-url", "origin", f"https://u:{password}@example.org/x.git")
        assert remote_urls.current(pair.ann.opened.git, "origin") == "https://example.org/x.git"
    remote_urls.note(top / ".git" / "devs", "origin", remote_urls.current(pair.ann.opened.git, "origin"))
    assert "two" not in (top / ".git" / "devs" / "remote-urls").read_text()
    assert remote_urls.in_message("https://example.org/x.git") == "https://example.org/x.git"
    for place in ("/srv/x.git", "../x.git", "x", "file:///srv/x.git", "~/x"):
        assert remote_urls.in_message(place) == "a folder"
