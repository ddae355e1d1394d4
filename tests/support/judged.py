"""A check that takes older events as judged (`verify --judged`), beside the check of the whole ledger."""

from __future__ import annotations

from collections.abc import Sequence

from devs_git.commands import verify
from devs_git.commands.verify import Result
from devs_git.domain.ledger.events import LEDGER
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.git_calls import git


def newest_sound(whole: Result) -> str:
    """The newest event of the ledger that has no finding, nor has an event before it; '' for none."""
    # Without grafts and replaced objects, as `verify` reads.
    reader = Workspace.open().store_git
    out = reader.text("rev-list", "--topo-order", "--reverse", "--parents", LEDGER, "--", ok=(0, 128))
    unsound = {one.ref for one in whole.findings}
    newest = ""
    for oid, *parents in map(str.split, out.splitlines()):
        if oid in unsound or not unsound.isdisjoint(parents):
            unsound.add(oid)
        else:
            newest = oid
    return newest


def errors(result: Result) -> Sequence[str]:
    return [f"{one.code}: {one.message}" for one in result.findings if one.severity == "error"]


def compare(request: verify.Request, whole: Result) -> None:
    """Taking the newest sound event as judged hides no error but of tags that no event after it names."""
    judged = newest_sound(whole)
    if judged:
        again = verify.run(Workspace.open(), replace(request, judged=judged))
        hidden = {*errors(whole)} - {*errors(again)}
        assert {*errors(again)} <= {*errors(whole)}
        assert all(again.taken and text.startswith("TAG_") for text in hidden), (hidden, git("log", LEDGER))
