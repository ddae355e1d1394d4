"""The catalog of traces and conversations (`catalog.db`), as far as moving trees needs it: what a rewind would mark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def tables_with(path: Path, tasks: Sequence[str]) -> tuple[str, ...]:
    """Names of the catalog's tables that hold rows of `tasks`. Opened immutable: nothing is written or migrated."""
    if not tasks or not path.exists():
        return ()
    import sqlite3
    from contextlib import closing
    from urllib.parse import quote

    marks = ",".join("?" * len(tasks))
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as base:
        tables = base.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND c.name = 'task_id' ORDER BY m.name"
        ).fetchall()
        found = []
        for (name,) in tables:
            # The name comes from the database's own schema; values are bound.
            query = f'SELECT 1 FROM "{name}" WHERE task_id IN ({marks}) LIMIT 1'  # noqa: S608
            if base.execute(query, tuple(tasks)).fetchone():
                found.append(name)
        return tuple(found)
