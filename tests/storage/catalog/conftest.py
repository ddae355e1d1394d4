"""A catalog with each engine: FTS5 and FTS4 behave the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.storage.catalog.database import Catalog


@pytest.fixture(params=["5", "4"], ids=["FTS5", "FTS4"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DEVS_FTS", request.param)
    return str(request.param)


@pytest.fixture
def catalog(engine: str, tmp_path: Path) -> Iterator[Catalog]:
    del engine
    with Catalog.open(tmp_path) as opened:
        yield opened
