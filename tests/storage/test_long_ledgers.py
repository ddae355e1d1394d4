"""Ledgers that somebody made long: what is read of them, and how often a signature is verified."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from devs_git.domain.audit.ledger_shape import Change
from devs_git.storage.documents import signatures
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.workspace import Workspace
from tests.support.belief.abstract_ledger import Ledger, signature_path
from tests.support.belief.generator import generate
from tests.support.belief.git_ledger import Keyring, Written
from tests.support.belief.story import ANN, BOB, Story

pytestmark = pytest.mark.quick
COPIES = 12


def read(written: Written, tip: str) -> Facts:
    ledger = Workspace.open(written.store).ledger
    return Facts(ledger, ledger.git, written.oids[tip], "", "")


def write(ledger: Ledger, folder: Path) -> Written:
    return Written(ledger, Keyring(folder), folder)


@pytest.mark.quick
def test_copies_of_one_signed_decision_are_verified_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Story()
    asked = story.ask(story.first, "g1")
    tip = said = story.decide(asked, "g1", ANN)
    signature = story.tree(said, signature_path("g1"))

    def spelled(name: str) -> str:
        one = story.ledger.what[name]
        return name if name == signature else story.ledger.put(replace(one, spelling=one.spelling + 1))

    for _ in range(COPIES):
        said = story.world.copy(asked, said, "g1", spelled)
        tip = story.merge(tip, said)
    tip = story.merge(tip, story.decide(asked, "g1", BOB))
    verified, verify = [], signatures.key_of

    def counted(message: bytes, signature: bytes) -> str:
        verified.append(message)
        return verify(message, signature)

    monkeypatch.setattr(signatures, "key_of", counted)
    facts = read(write(story.ledger, tmp_path), tip)
    assert facts.belief.findings == ()
    assert (len(facts.belief.walk.claims), len(verified)) == (COPIES + 2, 2)


@pytest.mark.parametrize("seed", [4, 9, 14])
def test_the_edges_of_each_event_are_the_differences_of_its_trees(seed: int, tmp_path: Path) -> None:
    one = generate(seed, named=False)
    written = write(one.ledger, tmp_path)
    told = {step.event.oid: step for step in read(written, one.tip).steps}
    merges = 0
    for name in one.ledger.ancestors(one.tip):
        event, step = one.ledger.events[name], told[written.oids[name]]
        after = real(written, name)
        first, *others = [changes(real(written, p) if p else {}, after) for p in event.parents or ("",)]
        new = {change.path for change in first if not change.old}
        assert set(step.edges[0]) == first
        for edge, whole in zip(step.edges[1:], others, strict=True):
            assert set(edge) == {change for change in whole if change.old or change.path in new}
            merges += 1
    assert merges


@pytest.mark.quick
def test_what_a_late_line_lacks_is_not_read_at_its_merge(tmp_path: Path) -> None:
    story = Story()
    tip = story.first
    for number in range(20):
        tip = story.event(tip, {f"tasks/{number}/start.yaml": story.tree(story.genesis, "README.md")})
    late = story.ask(story.first, "g1")
    tip = story.merge(tip, late)
    steps = read(write(story.ledger, tmp_path), tip).steps
    assert [len(edge) for edge in steps[-1].edges] == [2, 0]


def real(written: Written, event: str) -> dict[str, str]:
    """The blobs in the tree of an event by their paths, as git has them."""
    words = ("git", "ls-tree", "-r", "--format=%(path) %(objectname)", written.oids[event])
    told = subprocess.run(words, cwd=written.store, capture_output=True, text=True, check=True).stdout
    return dict(line.split(" ") for line in told.splitlines())


def changes(before: dict[str, str], after: dict[str, str]) -> set[Change]:
    rows = {(path, before.get(path, ""), after.get(path, "")) for path in {*before, *after}}
    return {Change(*row) for row in rows if row[1] != row[2]}
