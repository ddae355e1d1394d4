"""A search of outputs that finds nothing says what to try instead, and so does a trace that is not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.domain.recall.query import unknown_filters
from devs_git.domain.recall.snippets import cut
from devs_git.workspace import Workspace

WHOLE_WORDS = "A search finds whole words only. For words that begin with wor: wor*"


def said(top: Path, *words: str, stdin: str = "") -> list[str]:
    call = [sys.executable, "-m", "devs_git", "trace", *words]
    done = subprocess.run(call, cwd=top, input=stdin, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


@pytest.mark.quick
def test_a_search_without_hits_says_that_whole_words_are_found_and_which_filters_there_are(
    ledgered: Workspace,
) -> None:
    top = ledgered.top
    said(top, "put", "--id", "zoo", stdin="tail\nZebra failure\nlast\n")
    assert said(top, "search", "ebra") == ["No hits.", WHOLE_WORDS]
    filters = "The filters are task: tool: session: agent: error: since: before:"
    unknown = f"foo: is no filter, so it was searched as a word. {filters}"
    assert said(top, "search", "foo:bar") == ["No hits.", WHOLE_WORDS, unknown]
    assert said(top, "search", "zeb*")[1] == "    Zebra failure | last"
    assert "trace search WORD" in said(top, "get", "Zebra")[-1]


def test_a_colon_in_a_place_or_a_url_is_no_filter() -> None:
    assert unknown_filters("src/a.py:12 http://a.example task:10 -x:y foo:bar") == ("x", "foo")


def test_a_snippet_shows_where_its_lines_end() -> None:
    assert cut(["one\r\n\n  two  words\n"], ()).text == "one | two words"
