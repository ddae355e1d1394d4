"""Our own form of YAML is read without a library, and only where no other reader could disagree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from devs_git.errors import DevsError
from devs_git.storage.documents import canonical_yaml, yaml_documents

pytestmark = pytest.mark.quick


def library(data: bytes, version: tuple[int, int] = (1, 2)) -> Any:
    """What the library makes of it by itself."""
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    return reader.load(data)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALAR = st.none() | st.booleans() | st.integers(-(10**17), 10**17) | TEXT
KEY = st.text(st.sampled_from("abcXYZ_-09 :#\"'\n"), min_size=1, max_size=6)
VALUE: st.SearchStrategy[Any] = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
@example({"a": "x\n\ny\n", "b": ["x\ny", {"c": []}], "no": "no"})
def test_what_we_write_we_read_as_the_library_does(value: dict[str, Any]) -> None:
    data = yaml_documents.dump(value, "task")
    quick = canonical_yaml.read(data)
    assert quick in (None, value)
    assert yaml_documents.load(data, "x.yaml") == value == library(data)


def test_an_ordinary_record_needs_no_library() -> None:
    value = {
        "title": "Parse dates",
        "heads": {"refs/heads/main": "a" * 40},
        "list": ["x", "2.3"],
        "n": 3,
        "t": "a\nb\n",
    }
    assert canonical_yaml.read(yaml_documents.dump(value, "task", comment="by hand")) == value


@given(
    TEXT
    | st.sampled_from(["a: &x 1\nb: *x\n", "a: 1\na: 1\n", "a: !!str 1\n", "a: 1\n---\nb: 2\n", "<<: {}\n"])
)
def test_a_text_of_another_form_is_left_to_the_library(text: str) -> None:
    value = canonical_yaml.read(text.encode("utf-8", "replace"))
    if value is not None:
        assert library(text.encode()) == value


# What ends a line for some readers or for all, and what may stand in no text.
ODD = "\r\n\u0085\u2028\u2029\x00\x0b\x0c\x1b\x7f\x9b\ufeff\ufffe\u202e\u2066\u200f\t #:-|\"'\\"
PLACES = st.lists(st.tuples(st.integers(0, 200), st.text(ODD + "ax", min_size=1, max_size=4)), max_size=4)


@given(PLACES)
@example([(0, "# a\rx: 1\n")])
@example([(0, "# \u0085x: 1\n")])
@example([(0, "# \u2028x: 1\n")])
@example([(10, "\r\n")])
@example([(0, "# \x1b[2K\n")])
def test_whatever_we_read_readers_of_both_versions_read_alike(places: list[tuple[int, str]]) -> None:
    text = '# our own\ndecision: APPROVED\nreason: |\n  two\n  lines\nrequest: "a b"\nlist:\n  - one\n'
    for at, more in places:
        text = text[:at] + more + text[at:]
    try:
        value = yaml_documents.load(text.encode(), "x.yaml")
    except DevsError:
        return
    assert (
        canonical_yaml.find_odd_character(re.sub("[\u202e\u2066\u200f]", "", text.removeprefix("\ufeff")))
        is None
    )
    assert library(text.encode()) == value
    assert library(text.encode(), (1, 1)) == value
