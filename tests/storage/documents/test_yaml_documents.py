"""YAML that two readers could understand differently is refused with file and line; what we write reads back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from devs_git.errors import DevsError
from devs_git.storage.documents import package_files, schemas, yaml_documents

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
VALID = sorted(EXAMPLES.glob("*/valid/*.yaml"))
INVALID = sorted(EXAMPLES.glob("*/invalid/*.yaml"))
NOUNS = sorted(
    path.name.removesuffix(".v1.schema.json") for path in package_files.folder("schemas").glob("*.json")
)


def name(path: Path) -> str:
    return "/".join(path.parts[-3:])


@pytest.mark.parametrize("path", VALID, ids=name)
def test_a_valid_example_is_read(path: Path) -> None:
    noun = path.parent.parent.name
    assert yaml_documents.load(path.read_bytes(), noun, noun)


@pytest.mark.parametrize("path", INVALID, ids=name)
def test_an_invalid_example_is_refused_as_its_first_line_says(path: Path) -> None:
    noun = path.parent.parent.name
    expected = path.read_text().splitlines()[0].removeprefix("# expected: ")
    with pytest.raises(DevsError) as caught:
        yaml_documents.load(path.read_bytes(), noun, noun)
    assert caught.value.message.startswith(expected)


def test_every_schema_has_examples_of_both_kinds() -> None:
    have = {(path.parent.parent.name, path.parent.name) for path in (*VALID, *INVALID)}
    assert have == {(noun, kind) for noun in NOUNS for kind in ("valid", "invalid")}


@pytest.mark.parametrize("noun", NOUNS)
def test_a_schema_names_itself_and_uses_only_keywords_that_are_checked(noun: str) -> None:
    loaded = json.loads(package_files.read("schemas", schemas.file_name(noun)))
    assert loaded["$id"] == schemas.url(noun)
    assert loaded["$schema"] == "https://json-schema.org/draft/2020-12/schema"

    def keywords(rule: dict[str, Any]) -> set[str]:
        below = [*rule.get("properties", {}).values(), *([rule["items"]] if "items" in rule else [])]
        return set(rule).union(*(keywords(part) for part in below))

    assert keywords(loaded) <= set(schemas._KEYWORDS) | schemas._ABOUT | {"type"}


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "occurs twice"),
        ("a: 1\n'a': 3\n", 2, "occurs twice"),
        ("a: {b: 1, b: 1}\n", 1, "occurs twice"),
        ("x: {q: 1}\n<<: {a: 1}\n", 2, "merge key"),
        ("a: &x 1\n", 1, "anchor"),
        ("a: &x {}\n", 1, "anchor"),
        ("a: 1\nb: *x\n", 2, "alias"),
        ("a: 1\n---\nb: 1\n", 2, "second document"),
        ("a: 1\n...\nb: 1\n", 3, ""),
        ("a: !!str 1\n", 1, "tag"),
        ("a: !x {}\n", 1, "tag"),
        ("!!map {a: 1}\n", 1, "tag"),
        ("%YAML 1.1\n---\na: 1\n", 2, "directive"),
        ("1: a\n", 1, "not text"),
        ("true: a\n", 1, "not text"),
        ("null: a\n", 1, "not text"),
        ("? [a]\n: b\n", 1, "not text"),
        ("- a\n", 1, "set of fields"),
        ("just text\n", 1, "set of fields"),
        ("", 1, "set of fields"),
        ("a: [1\nb: 2\n", 2, ""),
        ("a: 1\n\tb: 2\n", 2, ""),
        ("a: 'x\n", 2, ""),
        ("a: \x07\n", 1, "character"),
        ("a: " + "[" * 40 + "\n", 1, "deeper than"),
        ("a: 1\nb: \ud800\n", 2, "UTF-8"),
        ("#" * (yaml_documents.MAX_BYTES + 1), 1, "256 KiB"),
        ("# a\rx: 1\nb: 2\n", 1, "control character (U+000D)"),
        ("b: 2\n# a\u0085x: 1\n", 2, "control character (U+0085)"),
        ("# a\u2028x: 1\nb: 2\n", 1, "line separator character (U+2028)"),
        ("# a\u2029x: 1\nb: 2\n", 1, "paragraph separator character (U+2029)"),
        ("# \x1b[2K\nb: 2\n", 1, "control character (U+001B)"),
        ("# \x00\nb: 2\n", 1, "control character (U+0000)"),
        ("# \u202e\nb: 2\n", 1, "bidirectional character (U+202E)"),
        ("a: 1\n# c\nb: x \u2066\n", 3, "bidirectional character (U+2066)"),
        ("# x\n\ufeffb: 2\n", 2, "misplaced character (U+FEFF)"),
        ("# \uffff\nb: 2\n", 1, "misplaced character (U+FFFF)"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(DevsError) as caught:
        yaml_documents.load(text.encode("utf-8", "surrogatepass"), "x.yaml", code="POLICY_INVALID")
    error = caught.value
    assert (error.code, error.details["file"], error.details["line"]) == ("POLICY_INVALID", "x.yaml", line)
    assert error.message.startswith(f"x.yaml:{line}: ")
    assert word in error.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("on", "on"), ("12", 12), ("-3", -3), ("0x1f", 31), ("0o17", 15), ("1.5", 1.5), ("~", None),
        ("", None), ("true", True), ("'12'", "12"), ("2001-02-03", "2001-02-03"), ("1:20", "1:20"), ("1_000", "1_000"),
        ("012", 12), ("[a, {b: c}]", ["a", {"b": "c"}]), ("|-\n  x\n  y", "x\ny"), ("9" * 50, float("9" * 50)),
    ],
)  # fmt: skip
def test_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    assert yaml_documents.load(f"a: {text}\n".encode(), "x")["a"] == value


TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "yes",
        "null",
        "~",
        "1e3",
        "0x1f",
        "a: b",
        "# x",
        "- x",
        "x #y",
        " x",
        "x\n",
        "x\ny\n",
        "\nx",
        "x\n\n",
        "x \ny",
        "x\n y",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXT, VALUES, min_size=1, max_size=3))
def test_what_is_written_is_read_back_by_us_and_by_others(value: dict[str, Any]) -> None:
    data = yaml_documents.dump(value, "task", comment="two\nlines")
    assert data.startswith(b"# yaml-language-server: $schema=https://")
    assert yaml_documents.load(data, "x") == value
    assert YAML(typ="safe", pure=True).load(data.decode()) == value


def test_line_ends_of_windows_and_a_mark_at_the_beginning_are_no_other_text() -> None:
    """What a person's editor may put into the policy, every reader takes alike."""
    text = "# one\r\n# two\tthree\r\na: 1\r\nb: |\r\n  x\r\n  y\r\n"
    assert yaml_documents.load(f"\ufeff{text}".encode(), "x") == {"a": 1, "b": "x\ny\n"}
    assert yaml_documents.load(b"# one\r\na: x\n", "x") == {"a": "x"}


def test_a_text_that_we_wrote_with_bidirectional_characters_is_read_still() -> None:
    """A branch's name may have them, and a ledger never changes."""
    value = {"branch": "\u202ex", "title": "\u200f\ny\n"}
    assert yaml_documents.load(yaml_documents.dump(value, "task"), "x") == value


def test_the_same_record_is_always_the_same_bytes() -> None:
    value = {"task_id": "task-1", "title": "x: y", "plan": "a\nb\n", "list": [{"k": "v"}, []], "none": {}}
    assert yaml_documents.dump(value, "task").decode().splitlines()[1:] == [
        "task_id: task-1",
        'title: "x: y"',
        "plan: |",
        "  a",
        "  b",
        "list:",
        "  -",
        "    k: v",
        "  - []",
        "none: {}",
    ]


def test_a_line_end_after_a_value_is_part_of_it() -> None:
    """Python's `$` would let it pass; a schema's is the end."""
    fine = f'genesis: "{"0" * 40}"\n'.encode()
    assert yaml_documents.load(fine, "policy", "policy")
    with pytest.raises(DevsError, match="genesis is"):
        yaml_documents.load(fine.replace(b'0"', b'0\\n"'), "policy", "policy")


DENSE = {
    "a list in brackets": "x: [" + "a," * 125_000 + "b]\n",
    "lists in it": "x: [" + "[]," * 80_000 + "b]\n",
    "a mapping in braces": "x: {" + "".join(f"a{number}: b," for number in range(25_000)) + "}\n",
    "a list of lines": "x:\n" + "- a\n" * 60_000,
}


@pytest.mark.parametrize("text", DENSE.values(), ids=DENSE)
def test_a_file_with_more_values_than_any_of_ours_is_not_read_to_its_end(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    parse = YAML.parse

    def counted(reader: YAML, source: str) -> Iterator[Any]:
        nonlocal read
        for event in parse(reader, source):
            read += 1
            yield event

    monkeypatch.setattr(YAML, "parse", counted)
    with pytest.raises(DevsError, match="more than 10,000 values"):
        yaml_documents.load(text.encode(), "request.yaml")
    assert read < 2 * yaml_documents.MAX_VALUES + 10


def test_what_is_in_our_own_form_may_have_more_values() -> None:
    heads = {"heads": {f"b{number}": "x" for number in range(yaml_documents.MAX_VALUES + 1)}}
    assert yaml_documents.load(yaml_documents.dump(heads, "gate-request"), "request.yaml") == heads
