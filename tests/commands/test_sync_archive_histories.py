"""Random work in two clones that sync, archive and take archives back: no checkpoint is lost, and all becomes one again."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from devs_git.commands import archive
from devs_git.domain.checkpoints import wanted_refs
from devs_git.storage.ledger.archived import archives
from tests.commands.test_sync_histories import Work
from tests.support.archiving import archive_all, collect
from tests.support.clones import LEDGER, Clone, Pair, refs_of

HISTORIES = int(os.environ.get("DEVS_TEST_COUNT_SYNC_HISTORIES", "1"))
STEPS = 24 if HISTORIES > 1 else 12


class WorkWithArchives(Work):
    def step(self) -> None:
        if self.dice.random() < 0.65:
            super().step()
            return
        clone = self.dice.choice((self.pair.ann, self.pair.bob))
        does: tuple[Callable[[Clone], object], ...] = (self.archive, self.archive, self.take_back, self.sync)
        self.do(clone, self.dice.choice(does))

    def archive(self, clone: Clone) -> None:
        archive_all(clone.top, with_tags=self.dice.random() < 0.5)

    def take_back(self, clone: Clone) -> None:
        clone.call("archive", archive.Request(undo=True))


def assert_has_all(clone: Clone) -> None:
    """Each checkpoint of the ledger has its ref, or an archive here has it, and git keeps its commit."""
    collect(clone.top)
    history = clone.opened.ledger.tip().here
    want = {(ref, tag) for ref, tag in wanted_refs.ledger_refs(history).items() if "/checkpoints/" in ref}
    have = {*archives.here(clone.opened.store_git), *refs_of(clone.top).items()}
    assert want - have == set()
    for point in history.checkpoints.values():
        clone.git("cat-file", "-e", f"{point.commit}^{{tree}}")


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_any_two_histories_with_archives_become_one_and_lose_no_checkpoint(seed: int, pair: Pair) -> None:
    work = WorkWithArchives(pair, seed)
    try:
        for _ in range(STEPS):
            work.step()
        pair.meet()
        pair.bob.sync()
        for clone in (pair.ann, pair.bob):
            assert_has_all(clone)
            again = clone.sync()
            assert (again.fetched, again.pushed, again.merged, again.left) == ((), (), None, ())
        pair.assert_sound()
        for gate in pair.bob.opened.ledger.open_gates():
            pair.bob.reject(gate)
        pair.bob.call("archive", archive.Request(undo=True))
        pair.meet()
        pair.bob.sync()
        pair.assert_agree()
        assert work.events <= set(pair.ann.git("rev-list", LEDGER).split())
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}\n" + "\n".join(work.done)) from error
