"""`show` answers first what a person asks first."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli.main import cli
from tests.conftest import Tasks

pytestmark = pytest.mark.quick


def test_title_time_author_and_files_stand_before_hashes_and_trailers(tasks: Tasks) -> None:
    scene = tasks({"10": {"b.txt": "b\n", "c.txt": "c\n"}})
    shown = CliRunner().invoke(cli, ["show", "task-10", "--repo", str(scene.top)]).output
    head = scene.git("rev-parse", "HEAD")
    asked = ("task 10", "made ", "author ", "changed ", "b.txt", "c.txt", head, "Devs-Task")
    places = [shown.find(text) for text in asked]
    assert -1 not in places
    assert places == sorted(places)
    assert shown.splitlines()[0] == "task-10@1  task 10"
