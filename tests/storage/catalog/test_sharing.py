"""Several processes write and read one catalog at the same time: nothing is lost, and no command fails by a lock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog

pytestmark = pytest.mark.quick

EACH = int(os.environ.get("DEVS_TEST_COUNT_TRACES_PER_WRITER", "10"))
WRITER = """
import sys
from pathlib import Path
from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import fulltext; from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
folder, name, each = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.read()
for number in range(each):
    with Catalog.open(folder) as catalog, fulltext.write_transaction(catalog):
        for trace_id in (f"{name}-{number}", "shared"):
            traces.put(catalog, Trace(trace_id, "2001-02-03T04:05:06.789Z", f"said by {name} {number}".encode()))
"""
READER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from devs_git.domain.recall.query import parse
from devs_git.storage.catalog import search; from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
sys.stdin.read()
last = 0
for _turn in range(int(sys.argv[3])):
    with Catalog.open(Path(sys.argv[1])) as catalog:
        found = search.search(catalog, parse("said", datetime.now(UTC), str), search.Page(limit=200))
        assert traces.count(catalog) >= last, "a trace went away"
        last = traces.count(catalog)
        for hit in found.hits:
            assert traces.output(catalog, hit.row.trace_id).startswith(b"said by")
"""


def test_eight_writers_and_two_readers_of_a_new_catalog_lose_nothing(tmp_path: Path) -> None:
    kinds = [(WRITER, f"w{number}") for number in range(8)] + [(READER, f"r{number}") for number in range(2)]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), name, str(EACH)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for code, name in kinds
    ]
    for child in children:  # all start together
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    said = [child.communicate()[1].decode() for child in children]
    assert said == [""] * 10
    with Catalog.open(tmp_path) as catalog:
        assert traces.count(catalog) == 8 * EACH + 1
        assert catalog.trouble() == ""
        assert catalog.rows("SELECT count(*) FROM bodies")[0][0] == 8 * EACH + 1
