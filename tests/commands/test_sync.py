"""Two clones that worked offline meet: one ledger, nothing lost, verify green in both."""

from __future__ import annotations

import pytest

from tests.support.clones import LEDGER, Pair, refs_of


@pytest.mark.quick
def test_two_clones_that_worked_offline_end_with_the_same_ledger_and_green_verify(pair: Pair) -> None:
    pair.ann.task("10")
    pair.bob.task("11")
    first, second = pair.ann.sync(), pair.bob.sync()
    assert (first.merged, second.merged) == (None, pair.bob.tip)
    assert pair.ann.sync().merged is None
    pair.assert_same()
    assert pair.bob.git("rev-parse", f"{second.merged}^1") == first.ledger
    assert {"refs/tags/devs/task-10", "refs/tags/devs/task-11"} < set(refs_of(pair.ann.top))
    assert pair.ann.sync().fetched == pair.ann.sync().pushed == ()


def test_a_merge_whose_objects_a_pack_has_already_is_written(pair: Pair) -> None:
    pair.ann.task("10")
    pair.bob.task("11")
    pair.bob.sync()
    pair.ann.git("fetch", "-q", "origin", f"{LEDGER}:refs/packed")
    pair.ann.git("gc", "-q")
    assert pair.ann.sync().merged


def test_a_second_gate_is_opened_after_a_gc_packed_the_file_of_the_first(pair: Pair) -> None:
    pair.ann.reject(pair.ann.ask())
    pair.ann.git("gc", "-q")
    second = pair.ann.ask()
    assert pair.ann.opened.ledger.open_gates() == (second,)


def test_a_gate_decided_here_and_still_open_there_is_decided(pair: Pair) -> None:
    gate = pair.ann.ask(kind="MANUAL")
    pair.meet()
    assert pair.bob.status(gate) == "PENDING_APPROVAL"
    pair.bob.approve(gate)
    pair.ann.ask()  # recording goes on while frozen, here and in the other clone
    pair.meet()
    assert pair.ann.status(gate) == "APPROVED"
    pair.assert_same()
