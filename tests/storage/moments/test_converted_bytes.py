"""Moments have the bytes of files whose blobs have other ones, such as those with other line ends."""

from __future__ import annotations

import pytest

from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import files_of, moment, on_disk

pytestmark = pytest.mark.quick


def test_bytes_that_git_converts_are_exact_while_files_change_one_by_one(
    workspace: Workspace, git: Run
) -> None:
    """A file has the bytes of its blob, then not, then again, while attributes apply to it."""
    (workspace.top / ".gitattributes").write_text("* text=auto\n*.up ident\n")
    (workspace.top / "a.up").write_text("$Id$\n")
    git("add", ".gitattributes", "a.up")
    git("commit", "-qm", "attributes")
    moment(workspace)
    for number, data in enumerate((b"1\n2\n", b"1\r\n2\r\n", b"1\r\n2\n", b"$Id: x$\n", b"$Id$\n", b"")):
        for name in ("a.txt", "a.up", f"new-{number}.txt"):
            (workspace.top / name).write_bytes(data)
        made = moment(workspace)
        assert files_of(workspace, made.moment_id) == on_disk(workspace.top), data
        assert read_moments.load(workspace.objects, made.moment_id)[0].exact
