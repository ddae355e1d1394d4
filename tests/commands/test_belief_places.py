"""Generated ledgers with real git and real keys in each of the five places that judge one: each judges as the reference does."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.belief.case import FROZEN, NOT_FROZEN, REFUSED, Case, Moulds
from tests.support.belief.places import PLACES

pytestmark = pytest.mark.thorough

LEDGERS = int(os.environ.get("DEVS_TEST_COUNT_BELIEF_PLACES", "3"))
MANY = 40  # so many reach every answer


@pytest.fixture
def moulds(tmp_path: Path) -> Moulds:
    folder = tmp_path / "moulds"
    folder.mkdir()
    return Moulds(folder)


@pytest.mark.parametrize("place", PLACES)
def test_a_place_refuses_what_the_reference_refuses(place: str, moulds: Moulds, tmp_path: Path) -> None:
    found = []
    for seed in range(LEDGERS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found.append(PLACES[place](Case.make(seed, moulds, folder)))
        # In memory where there is room; forty ledgers would be a lot of it.
        shutil.rmtree(folder)
    assert LEDGERS < MANY or min(map(found.count, (REFUSED, FROZEN, NOT_FROZEN))) > 1, found
