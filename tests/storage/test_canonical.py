"""Our own form of YAML is read without a library, and only where no other reader could disagree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devs_git.storage import canonical, documents

pytestmark = pytest.mark.cheap

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALAR = st.none() | st.booleans() | st.integers(-(10**17), 10**17) | TEXT
KEY = st.text(st.sampled_from("abcXYZ_-09 :#\"'\n"), min_size=1, max_size=6)
VALUE: st.SearchStrategy[Any] = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
@example({"a": "x\n\ny\n", "b": ["x\ny", {"c": []}], "no": "no"})
def test_what_we_write_we_read_as_the_library_does(value: dict[str, Any]) -> None:
    data = documents.dump(value, "task")
    quick = canonical.read(data)
    assert quick in (None, value)
    assert documents.parse(data, "x.yaml").value == value


def test_an_ordinary_record_needs_no_library() -> None:
    value = {
        "title": "Parse dates",
        "heads": {"refs/heads/main": "a" * 40},
        "list": ["x", "2.3"],
        "n": 3,
        "t": "a\nb\n",
    }
    assert canonical.read(documents.dump(value, "task", comment="by hand")) == value


@given(
    TEXT
    | st.sampled_from(["a: &x 1\nb: *x\n", "a: 1\na: 1\n", "a: !!str 1\n", "a: 1\n---\nb: 2\n", "<<: {}\n"])
)
def test_a_text_of_another_form_is_left_to_the_library(text: str) -> None:
    value = canonical.read(text.encode("utf-8", "replace"))
    if value is not None:
        assert documents.parse(text.encode(), "x.yaml").value == value
