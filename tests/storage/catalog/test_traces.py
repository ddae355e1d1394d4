"""A trace is read back byte for byte by its id, however it was stored."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devs_git.domain.recall.traces import Trace, TraceRow
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies, fulltext, prune_traces, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace

pytestmark = pytest.mark.quick

THEN = "2001-02-03T04:05:06.789Z"
MEBIBYTES = int(os.environ.get("DEVS_TEST_COUNT_TRACE_MEBIBYTES", "9"))
ALL = Trace(
    "t-1",
    THEN,
    b"out",
    "in",
    "task-1",
    "s",
    "developer",
    "claude",
    "Bash",
    True,
    12,
    "c" * 40,
    "u",
    "PostToolUse",
    cut_by_client=True,
    full_bytes=7,
)


def put(catalog: Catalog, *found: Trace) -> None:
    with fulltext.write_transaction(catalog):
        for trace in found:
            traces.put(catalog, trace)


def test_everything_that_is_known_of_a_trace_comes_back(catalog: Catalog) -> None:
    put(catalog, ALL)
    digest = hashlib.sha256(b"out").hexdigest()
    assert traces.row(catalog, "t-1") == TraceRow(
        "t-1",
        "task-1",
        "s",
        "developer",
        "claude",
        "Bash",
        True,
        12,
        "c" * 40,
        THEN,
        digest,
        3,
        rewound=False,
        cut_by_client=True,
        full_bytes=7,
        masked=False,
    )
    assert (traces.input_of(catalog, "t-1"), traces.output(catalog, "t-1")) == ("in", b"out")


@pytest.mark.parametrize(
    "output",
    [b"", b"\0", b"a\0b\r\nc\r", b"\xff\xfe\x80", "é\u2028🐍".encode(), b"x" * (1 << 20)],
    ids=["empty", "nul", "crlf", "no utf-8", "wide", "one mebibyte"],
)
def test_an_output_comes_back_byte_for_byte(catalog: Catalog, output: bytes) -> None:
    put(catalog, replace(ALL, output=output))
    assert traces.output(catalog, "t-1") == output


def test_an_output_of_many_parts_comes_back_byte_for_byte(catalog: Catalog) -> None:
    line = os.urandom(1 << 16).hex().encode()
    output = line * (MEBIBYTES << 20 >> 17) + b"end"
    put(catalog, replace(ALL, output=output))
    assert traces.output(catalog, "t-1") == output
    at = bodies.PART - 2
    assert traces.window(catalog, "t-1", at, 5) == output[at : at + 5]
    assert traces.window(catalog, "t-1", len(output) - 3, 99) == b"end"


@pytest.mark.parametrize("piece", [1, 699, 700, 701, 1500, 9999])
def test_an_output_that_comes_in_pieces_is_stored_as_one_in_memory(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "PART", 700)
    for size in (0, 699, 700, 701, 2100, 2101):
        output = os.urandom(size)
        pieces = (output[at : at + piece] for at in range(0, size, piece))
        assert bodies.pack_pieces(pieces) == bodies.pack_output(output)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    output=st.binary(max_size=300),
    given_=st.text(max_size=50),
    start=st.integers(0, 310),
    size=st.integers(0, 310),
)
def test_any_bytes_and_any_part_of_them_come_back(
    catalog: Catalog, output: bytes, given_: str, start: int, size: int
) -> None:
    put(catalog, replace(ALL, output=output, input=given_))
    assert traces.output(catalog, "t-1") == output
    assert traces.input_of(catalog, "t-1") == given_
    assert traces.window(catalog, "t-1", start, size) == output[start : start + size]


def test_a_trace_put_again_takes_the_place_of_the_first(catalog: Catalog) -> None:
    put(catalog, ALL, replace(ALL, trace_id="other"))
    put(catalog, replace(ALL, output=b"second", is_error=False))
    assert traces.output(catalog, "t-1") == b"second"
    assert catalog.rows("SELECT count(*) FROM bodies")[0][0] == 2
    assert catalog.rows("SELECT count(*) FROM parts")[0][0] == 2
    assert catalog.trouble() == ""


def test_a_trace_that_was_put_again_since_it_was_listed_is_not_pruned(catalog: Catalog) -> None:
    put(catalog, ALL, replace(ALL, trace_id="t-2"))
    listed = prune_traces.older(catalog, "2002")
    put(catalog, replace(ALL, output=b"another"))
    with fulltext.write_transaction(catalog):
        gone = prune_traces.delete(catalog, listed, lambda _what, _done, _total: None)
    assert [row.trace_id for row in gone] == ["t-2"]
    assert traces.output(catalog, "t-1") == b"another"
    assert traces.row(catalog, "t-2") is None


def test_a_trace_without_an_id_is_refused_by_the_database_too(catalog: Catalog) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        put(catalog, replace(ALL, trace_id=""))
    assert traces.count(catalog) == 0


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_payload_comes_back_though_the_output_is_stored_once(catalog: Catalog, ascii_only: bool) -> None:
    output = 'é and \n\t"quotes" ' + "long " * 3000
    payload = json.dumps({"tool_name": "Bash", "tool_response": output}, ensure_ascii=ascii_only).encode()
    put(catalog, replace(ALL, output=output.encode(), raw=payload))
    assert traces.raw(catalog, "t-1") == payload
    assert len(bodies.unpack(catalog.rows("SELECT raw FROM bodies")[0][0])) < 100


@pytest.mark.parametrize("payload", [b"", b"{}", b"\0\1", b'{"a":"out","b":"out"}', b"\xff"])
def test_any_other_payload_is_stored_as_it_is(catalog: Catalog, payload: bytes) -> None:
    put(catalog, replace(ALL, raw=payload))
    assert traces.raw(catalog, "t-1") == payload


def test_what_is_not_there_is_none(catalog: Catalog) -> None:
    assert traces.row(catalog, "nope") is None
    assert (
        traces.output(catalog, "nope"),
        traces.raw(catalog, "nope"),
        traces.input_of(catalog, "nope"),
    ) == (
        b"",
        b"",
        "",
    )


def test_a_transaction_that_fails_leaves_nothing(catalog: Catalog) -> None:
    def fail() -> None:
        with fulltext.write_transaction(catalog):
            traces.put(catalog, ALL)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert traces.row(catalog, "t-1") is None


def test_the_file_belongs_to_its_owner_alone(catalog: Catalog) -> None:
    put(catalog, ALL)
    companions = [path for path in catalog.path.parent.iterdir() if path.name.startswith("catalog.db")]
    assert {path.stat().st_mode & 0o777 for path in companions} == {0o600}


def test_a_catalog_of_a_newer_version_is_refused_and_left_alone(catalog: Catalog) -> None:
    catalog.base.execute("PRAGMA user_version = 999")
    for opening in (Catalog.open, Catalog.look):
        with pytest.raises(DevsError, match="newer devs-git"):
            opening(catalog.path.parent)


def test_a_file_that_is_no_catalog_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(DevsError, match="damaged"):
        Catalog.open(tmp_path)
    assert (tmp_path / "catalog.db").read_bytes().startswith(b"no database")


def test_looking_makes_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "devs"
    folder.mkdir()
    with Catalog.look(folder) as empty:
        assert traces.count(empty) == 0
    assert list(folder.iterdir()) == []


def test_a_text_that_sqlite_cannot_take_is_refused_and_leaves_nothing(catalog: Catalog) -> None:
    catalog.base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000)
    for _again in range(2):
        put(catalog, Trace("fits", THEN, b"x" * 19_999))
    no_text = b"\xff" * 7_000  # three bytes each in the index
    with pytest.raises(DevsError, match="at most 20000 bytes"), fulltext.write_transaction(catalog):
        traces.put(catalog, Trace("large", THEN, no_text))
    assert (traces.count(catalog), catalog.rows("SELECT count(*) FROM bodies")) == (1, [(1,)])


@pytest.mark.parametrize("split", [1, 2, 3])
@pytest.mark.parametrize("called", ["", "called with"])
def test_a_letter_in_two_parts_is_indexed_and_taken_out_whole(
    catalog: Catalog, split: int, called: str
) -> None:
    letter = "\U00010400"  # of four bytes
    output = b" " * (bodies.PART - split) + f"{letter}xy next".encode() + b" \xff\xe2\x82"
    put(catalog, Trace("t", THEN, output, input=called))
    if fulltext.engine_of(catalog) == 5:
        catalog.base.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, trace_index5, row)")
        words = {row[0] for row in catalog.rows("SELECT term FROM temp.words")}
        assert words == {f"{letter}xy".lower(), "next", *called.split()}
        put(catalog, Trace("t", THEN, b"another"))
        assert catalog.rows("SELECT term FROM temp.words") == [("another",)]
    assert fulltext.trouble(catalog) == ""
