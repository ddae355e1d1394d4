"""Where an approved TAS lands: with the line ends that git keeps there, and never in the place of something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.workspace import Workspace
from tests.support.gate_scene import NEW, TAS, approve, ask, commit, in_force
from tests.support.refusals import refusal

Run = Callable[..., str]


@pytest.mark.quick(1)
@pytest.mark.parametrize("setting", ["eol=crlf", "core.autocrlf"])
def test_a_text_from_a_working_tree_with_crlf_lands_as_git_stores_it(
    setting: str, ledgered: Workspace, git: Run
) -> None:
    if setting == "eol=crlf":
        (ledgered.top / ".gitattributes").write_text("*.md text eol=crlf\n")
    else:
        git("config", "core.autocrlf", "true")
    commit(ledgered.top, {"TAS.md": TAS.replace("\n", "\r\n")})
    approve(ledgered, ask(ledgered, text=NEW.replace("\n", "\r\n")))
    assert git("diff", "--numstat", "HEAD^", "HEAD", "--", "TAS.md") == "1\t1\tTAS.md"
    assert (ledgered.top / "TAS.md").read_bytes() == NEW.replace("\n", "\r\n").encode()
    assert git("status", "--porcelain") == ""


@pytest.mark.parametrize("kind", ["file", "link", "submodule"])
def test_what_stands_where_a_folder_of_the_tas_belongs_is_not_replaced(
    kind: str, ledgered: Workspace, git: Run
) -> None:
    if kind == "submodule":
        git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},docs")
        git("commit", "-qm", "docs")
        (ledgered.top / "docs").mkdir()
    elif kind == "link":
        (ledgered.top / "docs").symlink_to("a.txt")
        git("add", "docs")
        git("commit", "-qm", "docs")
    else:
        commit(ledgered.top, {"docs": "mine\n"})
    in_force(ledgered, tas={"path": "docs/TAS.md"})
    gate_id = ask(ledgered, text=NEW)
    found = refusal(lambda: approve(ledgered, gate_id))
    assert (found.code, found.details["paths"]) == ("CONFLICT", ["docs"])
    assert ledgered.ledger.open_gates() == (gate_id,)
    assert git("log", "-1", "--format=%s") in {"docs", "files"}
