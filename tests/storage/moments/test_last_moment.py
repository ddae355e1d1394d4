"""The file by which a shell hook finds out that nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import last_moment, make_moment
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.moment_scene import maker, moment

pytestmark = pytest.mark.quick


def test_after_a_kill_the_next_check_takes_nothing_for_a_moment(repo: Path) -> None:
    """The private index may have files of which there is no moment."""
    here = Workspace.open(repo)
    first = moment(here)
    (here.top / "new").write_text("x")
    for step in ("files", "store", "note"):

        def die(name: str, step: str = step) -> None:
            if name == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            make_moment.make(replace(maker(here), step=die), Occasion("prompt"))
        assert not (here.places.own / "moments" / "last").exists(), step
        assert last_moment.read(here.places).id == first.moment_id
    assert moment(here).made
    assert (here.places.own / "moments" / "last").exists()
