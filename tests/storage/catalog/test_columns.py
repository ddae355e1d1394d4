"""schemas/README.md lists the tables and columns that the catalog has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devs_git.storage.catalog import fulltext
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.documents import package_files

pytestmark = pytest.mark.quick

_ROW = re.compile(r"\| (?P<tables>`[^|]+`)? ?\| (?P<columns>`[^|]+`) \| [^|]+ \|")
_INDEXES = {index.of(engine) for index in fulltext.INDEXES for engine in (4, 5)}


def listed() -> dict[str, set[str]]:
    """Tables and columns from the page. A row without a table's name continues the row before it."""
    found: dict[str, set[str]] = {}
    tables: list[str] = []
    _, _, page = package_files.read("schemas", "README.md").decode().partition("| table | column |")
    for row in page.splitlines():
        if match := _ROW.fullmatch(row):
            tables = re.findall(r"`([^`]+)`", match["tables"] or "") or tables
            for table in tables:
                found.setdefault(table, set()).update(re.findall(r"`([^`]+)`", match["columns"]))
    return found


def test_the_page_names_every_table_with_its_columns_and_no_other(tmp_path: Path) -> None:
    with Catalog.open(tmp_path) as catalog:
        query = (
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
        )
        there: dict[str, set[str]] = {}
        for table, column in catalog.rows(query):
            there.setdefault(table, set()).add(column)
    assert listed() == there | {name: {"text"} for name in _INDEXES}
