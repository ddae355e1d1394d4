"""When a loss counts as made good: what was lost is there again, to the byte and with its mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.moments import loss_back
from devs_git.storage.moments.loss_note import NotedLoss
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run

pytestmark = pytest.mark.quick


@pytest.fixture
def lost(repo: Path, git: Run) -> NotedLoss:
    """A program, a link and a staged version, which are all there."""
    (repo / "tool").write_text("run\n")
    (repo / "tool").chmod(0o755)
    (repo / "link").symlink_to("tool")
    git("add", "tool", "link")
    rows = (row.partition("\t") for row in git("ls-files", "-s", "tool", "link").splitlines())
    entries = {path: " ".join(head.split(" ")[:2]) for head, _, path in rows}
    return NotedLoss("2026-11-23T14:32:05.123Z", "1" * 40, str(repo), "", entries, {"tool": entries["tool"]})


def is_back(lost: NotedLoss) -> bool:
    return loss_back.is_back(Workspace.open(Path(lost.top)).store_git, lost)


def test_what_is_there_again_is_back(lost: NotedLoss) -> None:
    assert is_back(lost)


def test_a_file_with_another_mode_or_other_bytes_is_not_back(lost: NotedLoss, repo: Path) -> None:
    (repo / "tool").chmod(0o644)
    assert not is_back(lost)
    (repo / "tool").chmod(0o755)
    assert is_back(lost)
    (repo / "tool").write_text("other\n")
    assert not is_back(lost)


def test_a_link_that_is_a_file_now_or_leads_elsewhere_is_not_back(lost: NotedLoss, repo: Path) -> None:
    (repo / "link").unlink()
    (repo / "link").symlink_to("nowhere")
    assert not is_back(lost)
    (repo / "link").unlink()
    (repo / "link").write_text("tool")
    assert not is_back(lost)


def test_a_staged_version_that_is_only_a_file_now_is_not_back(lost: NotedLoss, git: Run) -> None:
    git("reset", "-q")
    assert not is_back(lost)
    assert is_back(replace(lost, staged={}))


def test_branches_and_stash_entries_are_back_with_their_commits(lost: NotedLoss, git: Run) -> None:
    head = git("rev-parse", "HEAD")
    assert not is_back(replace(lost, branches={"topic": head}))
    git("branch", "topic")
    assert is_back(replace(lost, branches={"topic": head}))
    assert not is_back(replace(lost, branches={"topic": git("rev-parse", "HEAD~1")}))
    assert not is_back(replace(lost, stashes=(head,)))
