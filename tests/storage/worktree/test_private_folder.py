"""How the private folder of an operation goes: with all that is in it, and with nothing that a link leads to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.storage.worktree import journal
from devs_git.workspace import Workspace

OPERATION = "20260101T000000-00000000"


@pytest.mark.quick
def test_the_private_folder_goes_with_all_in_it_and_what_a_link_leads_to_stays(
    ledgered: Workspace, tmp_path: Path
) -> None:
    places, mine = ledgered.site.places, tmp_path / "mine"
    mine.mkdir()
    (mine / "file").write_text("f\n")
    gone = journal.make_folder(places, OPERATION)
    (gone / "deep/er").mkdir(parents=True)
    (gone / "deep/er/file").write_text("f\n")
    (gone / "deep/link").symlink_to(mine)
    (gone / "dangling").symlink_to("nowhere")
    journal.drop_folder(places, OPERATION)
    assert not os.path.lexists(gone)
    gone.symlink_to(mine)
    journal.drop_folder(places, OPERATION)
    assert not os.path.lexists(gone)
    # There is nothing to remove any more.
    journal.drop_folder(places, OPERATION)
    assert (mine / "file").read_text() == "f\n"
