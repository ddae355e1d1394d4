"""Whatever a person types is a valid query, and finds what a tool printed, with both engines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devs_git.domain.recall.query import parse
from devs_git.domain.recall.traces import Trace
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.catalog import fulltext, health, search, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace

pytestmark = pytest.mark.quick

NOW = datetime(2001, 2, 3, 12, 0, 0, tzinfo=UTC)
TEXTS = {
    "a": b"Traceback: TypeError in src/a.py:12\r\ncalled rewind_to_task\0 with caf\xc3\xa9\xff",
    "b": b"src/b.py:12 fine, no error; rewind to some task",
    "c": b"connection refused: retry",
    "d": b"refused: no connection",
}


def ask(catalog: Catalog, text: str, page: search.Page = search.Page()) -> list[str]:  # noqa: B008 - a frozen value
    return [hit.row.trace_id for hit in search.search(catalog, parse(text, NOW, stamp), page).hits]


@pytest.fixture
def filled(catalog: Catalog) -> Catalog:
    with fulltext.write_transaction(catalog):
        for hour, (name, output) in enumerate(TEXTS.items()):
            created = stamp(NOW.replace(hour=hour))
            trace = Trace(
                name, created, output, f"input-{name}", f"task-{hour}", tool_name="Bash", is_error=name == "c"
            )
            traces.put(catalog, trace)
    return catalog


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("TypeError", {"a"}),
        ("typeerror", {"a"}),
        ("rewind_to_task", {"a"}),
        ("src/a.py:12", {"a"}),
        ("py:12", {"a", "b"}),
        ("cafe", {"a"}),
        ("input-c", {"c"}),
        ("refused connection", {"c", "d"}),
        ('"connection refused"', {"c"}),
        ("refused -retry", {"d"}),
        ("-refused", {"a", "b"}),
        ("Trace*", {"a"}),
        ('"connection ref"*', {"c"}),
        ("task:task-1", {"b"}),
        ("tool:Bash error:yes", {"c"}),
        ("refused error:no", {"d"}),
        ("since:2001-02-03T02:00 refused", {"c", "d"}),
        ("before:11h", {"a"}),
        ("since:nonsense", set()),
        ("AND", set()),
        ("NEAR(refused, connection)", set()),
        ("", {"a", "b", "c", "d"}),
        ("*", {"a", "b", "c", "d"}),
        ('"', {"a", "b", "c", "d"}),
    ],
)
def test_what_is_typed_finds_what_it_should(filled: Catalog, text: str, found: set[str]) -> None:
    assert set(ask(filled, text)) == found


@pytest.mark.parametrize(
    "text", ["foo(bar", '"', "a-b.c", "*", "", "x " * 5000, "x" * 10_000, "a:b:c", "^x", "{", "\0"]
)
def test_nothing_that_is_typed_is_an_error(filled: Catalog, text: str) -> None:
    assert set(ask(filled, text)) <= TEXTS.keys()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=60))
def test_no_text_at_all_is_an_error(filled: Catalog, text: str) -> None:
    assert set(ask(filled, text)) <= TEXTS.keys()


def test_the_best_comes_first_and_ties_go_to_the_newest(catalog: Catalog) -> None:
    with fulltext.write_transaction(catalog):
        for name, output in (("much", b"word word word x"), ("old", b"word x y z"), ("new", b"word x y z")):
            traces.put(catalog, Trace(name, stamp(NOW), output))
        for number in range(9):
            traces.put(catalog, Trace(f"other-{number}", stamp(NOW), b"nothing of it here"))
    assert ask(catalog, "word") == ["much", "new", "old"]


def test_a_word_in_nearly_every_text_gives_the_newest_in_order(catalog: Catalog) -> None:
    with fulltext.write_transaction(catalog):
        for number in range(20):
            traces.put(catalog, Trace(f"{number}", stamp(NOW), b"common"))
    assert ask(catalog, "common", search.Page(limit=3)) == ["19", "18", "17"]


def test_pages_follow_each_other_beside_what_comes_meanwhile(filled: Catalog) -> None:
    first = search.search(filled, parse("", NOW, stamp), search.Page(limit=3))
    with fulltext.write_transaction(filled):
        traces.put(filled, Trace("late", stamp(NOW), b"late"))
    rest = search.search(filled, parse("", NOW, stamp), search.Page(limit=3, offset=3, upto=first.upto))
    assert [hit.row.trace_id for hit in (*first.hits, *rest.hits)] == ["d", "c", "b", "a"]
    assert (first.more, rest.more) == (True, False)


def test_a_snippet_shows_the_place_and_marks_it(filled: Catalog) -> None:
    hit = search.search(filled, parse("TypeError", NOW, stamp), search.Page()).hits[0]
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.highlights] == ["TypeError"]


def test_a_text_that_was_replaced_or_deleted_is_found_no_more(filled: Catalog) -> None:
    with fulltext.write_transaction(filled):
        traces.put(filled, Trace("a", stamp(NOW), b"something else"))
        filled.base.execute("DELETE FROM traces WHERE trace_id = 'c'")
    assert (ask(filled, "TypeError"), ask(filled, "else"), ask(filled, "retry")) == ([], ["a"], [])


def test_long_texts_are_read_by_two_threads_and_shown_as_by_one(
    filled: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fulltext.write_transaction(filled):
        for number in range(5):
            traces.put(filled, Trace(f"{number}", stamp(NOW), b"line %d\n" % number * 50_000 + b"needle"))
    for found in (parse("needle", NOW, stamp), parse("needle line", NOW, stamp), parse("absent", NOW, stamp)):
        monkeypatch.setattr(search, "_LARGE", 1 << 40)
        one = search.search(filled, found, search.Page())
        monkeypatch.setattr(search, "_LARGE", 0)
        assert search.search(filled, found, search.Page()) == one
    assert len(search.search(filled, parse("needle", NOW, stamp), search.Page()).hits) == 5


def test_a_deadline_ends_the_reading_of_long_texts_and_says_so(
    filled: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fulltext.write_transaction(filled):
        traces.put(filled, Trace("long", stamp(NOW), b"line " * 100_000 + b"needle"))
    query = parse("needle", NOW, stamp)
    whole = search.search(filled, query, search.Page())
    assert (whole.shown, bool(whole.hits[0].snippet.highlights)) == (True, True)
    monkeypatch.setattr(search, "_AGAIN", 0.0)
    late = search.search(filled, query, search.Page(deadline=1e-9))
    assert (late.shown, [hit.row.trace_id for hit in late.hits]) == (False, ["long"])
    assert late.hits[0].snippet.text.startswith("line line")


def test_a_deadline_gives_what_it_has_and_says_so(filled: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_STEPS", 1)
    found = search.search(filled, parse("refused", NOW, stamp), search.Page(deadline=1e-9))
    assert (found.complete, {hit.row.trace_id for hit in found.hits}) == (False, {"c", "d"})


def test_a_catalog_built_with_one_engine_is_searched_with_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Trace("a", stamp(NOW), TEXTS["a"])
    for engine in ("5", "4", "5"):
        monkeypatch.setenv("DEVS_FTS", engine)
        with Catalog.open(tmp_path) as catalog:
            assert fulltext.engine_of(catalog) == int(engine)
            with fulltext.write_transaction(catalog):
                traces.put(catalog, replace(trace, trace_id=f"put with {engine}"))
            assert len(ask(catalog, "src/a.py:12")) == traces.count(catalog)
            assert catalog.trouble() == ""


@pytest.mark.parametrize("harm", ["DROP TABLE {0}", "DELETE FROM settings WHERE key = 'DEVS_FTS'"])
def test_an_index_that_is_missing_is_built_again(filled: Catalog, tmp_path: Path, harm: str) -> None:
    filled.base.execute(harm.format(fulltext.TRACES.of(fulltext.engine_of(filled))))
    with Catalog.open(tmp_path) as catalog:
        assert ask(catalog, "TypeError") == ["a"]
        catalog.base.execute(harm.format(fulltext.TRACES.of(fulltext.engine_of(catalog))))
    with Catalog.open(tmp_path) as catalog, fulltext.write_transaction(catalog):
        traces.put(catalog, Trace("new", stamp(NOW), b"TypeError"))
    assert sorted(ask(filled, "TypeError")) == ["a", "new"]


def test_whoever_writes_while_another_engine_takes_over_builds_its_own_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_FTS", "5")
    with Catalog.open(tmp_path) as ours:
        assert fulltext.engine_of(ours) == 5
        monkeypatch.setenv("DEVS_FTS", "4")
        with Catalog.open(tmp_path) as other:
            assert fulltext.engine_of(other) == 4
        monkeypatch.setenv("DEVS_FTS", "5")
        with pytest.raises(DevsError, match="building the index"):
            ask(ours, "word")
        with fulltext.write_transaction(ours):
            traces.put(ours, Trace("a", stamp(NOW), b"word"))
        assert ask(ours, "word") == ["a"]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("DELETE FROM {0}_docsize WHERE rowid = 2", "other entries"),
        ("INSERT INTO {0} (rowid, text) VALUES (99, 'ghost')", "other entries"),
        ("DELETE FROM {0}_{1} WHERE {2} > 1", "trace_index"),
        ("DROP TABLE {0}", "no such table"),
    ],
)
def test_doctor_notices_an_index_that_disagrees_with_the_rows(
    filled: Catalog, tmp_path: Path, harm: str, said: str
) -> None:
    assert not tuple(health.findings(tmp_path))
    content = ("data", "id") if fulltext.engine_of(filled) == 5 else ("docsize", "docid")
    filled.base.execute(harm.format(fulltext.TRACES.of(fulltext.engine_of(filled)), *content))
    (found,) = health.findings(tmp_path)
    assert found.code == "INDEX_DAMAGED"
    assert said in found.message
