"""A catalog that did not say which outputs a client had cut says it after its migration, and loses nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import database, fulltext, migrations, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace
from tests.support import old_catalog
from tests.support.cut_outputs import KEPT, SIZE, WHOLE, Session, failure_of

pytestmark = pytest.mark.quick

NOW = "2001-02-03T04:05:06.789Z"
CODEX = f"Warning: truncated output (original token count: 42224)\nTotal output lines: 30000\n\n{KEPT}"
PREVIEW = (
    f"<persisted-output>\nOutput too large (164.9KB). Full output saved to: /x\n\nPreview:\n{WHOLE[:2000]}"
)


def _old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *found: Trace) -> None:
    with monkeypatch.context() as before:
        before.setattr(database, "STEPS", migrations.STEPS[:2])
        with Catalog.open(tmp_path) as catalog, fulltext.write_transaction(catalog):
            for trace in found:
                old_catalog.put(catalog, trace)


def _marks(tmp_path: Path) -> dict[str, tuple[bool, int | None]]:
    with Catalog.open(tmp_path) as catalog:
        rows = [traces.row(catalog, name) for (name,) in catalog.rows("SELECT trace_id FROM traces")]
    return {row.trace_id: (row.cut_by_client, row.full_bytes) for row in rows if row}


def test_outputs_that_a_client_cut_are_marked_with_the_size_that_it_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.dumps(Session(tmp_path / "claude").told("/gone")).encode()
    printed = Trace("", NOW, b"", client="claude", event="PostToolUse")
    failed, codex = replace(printed, event="PostToolUseFailure"), replace(printed, client="codex")
    _old(
        tmp_path,
        monkeypatch,
        replace(printed, trace_id="long", output=KEPT.encode(), raw=told),
        replace(failed, trace_id="failed", output=failure_of(WHOLE).encode()),
        replace(printed, trace_id="from a transcript", output=PREVIEW.encode()),
        replace(codex, trace_id="of codex", output=CODEX.encode()),
        replace(printed, trace_id="whole", output=WHOLE.encode()),
        replace(failed, trace_id="whole failure", output=WHOLE.encode()),
        replace(codex, trace_id="whole of codex", output=WHOLE.encode()),
        Trace("by hand", NOW, CODEX.encode()),
        replace(printed, trace_id="short", output=b"printed", raw=b"{}"),
    )
    assert _marks(tmp_path) == {
        "long": (True, SIZE),
        "failed": (True, None),
        "from a transcript": (True, None),
        "of codex": (True, None),
        **dict.fromkeys(("whole", "whole failure", "whole of codex", "by hand", "short"), (False, None)),
    }


def test_a_damaged_trace_does_not_stop_the_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = Trace("t", NOW, WHOLE.encode(), client="claude", event="PostToolUse")
    _old(tmp_path, monkeypatch, printed)
    with monkeypatch.context() as before:
        before.setattr(database, "STEPS", migrations.STEPS[:2])
        with Catalog.open(tmp_path) as catalog:
            catalog.base.execute("UPDATE parts SET output = x'00'")
    assert _marks(tmp_path) == {"t": (False, None)}


@pytest.mark.usefixtures("engine")
def test_the_migrated_rows_are_found_and_read_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _old(tmp_path, monkeypatch, Trace("t", NOW, WHOLE.encode(), "in", "task-1", client="claude", raw=b"{}"))
    with Catalog.open(tmp_path) as catalog:
        assert traces.output(catalog, "t") == WHOLE.encode()
        assert (traces.input_of(catalog, "t"), traces.raw(catalog, "t")) == ("in", b"{}")
