"""Our reader of JSON Schemas agrees with jsonschema: on every example, and on generated documents, whole and broken."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from devs_git.errors import DevsError
from devs_git.storage.documents import package_files, schemas, yaml_documents

pytestmark = pytest.mark.quick

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/*valid/*.yaml"))
NOUNS = sorted(
    path.name.removesuffix(".v1.schema.json") for path in package_files.folder("schemas").glob("*.json")
)
DOCUMENTS = 150
# Texts of which some fit each pattern of our schemas. A new pattern needs one more here.
TEXTS = (
    *(
        "task-10",
        "task-a.b",
        "TAS.md",
        "docs/a b.md",
        "ssh-ed25519 AAAA",
        "sk-x AAAA= who",
        "jane@example.org",
    ),
    *("0" * 40, "a1" * 20, "f" * 32, "b" * 64, "20010203T040506-0123abcd", "2001-02-03T04:05:06.789Z", "30d"),
    *("2GiB", "500MB", "12h", "3c6e0b8a-9c15-424a-8e5f-0123456789ab", "refs/devs/backup/x", "word"),
)
# One value of each type, and values at the borders of the keywords.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1 << 53, (1 << 53) + 1, 0.5, -0.5, 1.0, 1e300),
    *("", " ", "x", "x" * 19, "x" * 201, "x" * 8193, "0" * 39, "0" * 41, "é", "a b", "a\xa0b", "a\u2003b"),
    *("a\x00", "../x", "task-", "task-task-1", "/x", "x/", "a//b", ".git/x", "\ud800", "30D", "signed"),
    *([], {}, [None], [""], ["x"], {"x": 1}, [{}], {"": ""}),
)
WAYS = ("removed", "beside", "longer", "another")
# The standard takes 1.0 for an integer. We do not: as a float it would go on into code that counts.
Reader = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _checker, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def fitting(rule: dict[str, Any], dice: Random) -> Any:
    """A value that a schema with our few keywords takes."""
    if "enum" in rule:
        return dice.choice(rule["enum"])
    kind = dice.choice(rule["type"]) if isinstance(rule["type"], list) else rule["type"]
    if kind == "string":
        return _text(rule, dice)
    if kind == "integer":
        least = rule.get("minimum", -10)
        return dice.choice((least, rule.get("maximum", least + 10), least + 1))
    if kind == "array":
        return [fitting(rule["items"], dice) for _ in range(rule.get("minItems", 0) + dice.randrange(3))]
    if kind == "object":
        return _mapping(rule, dice)
    return {"boolean": dice.random() < 0.5, "null": None}[kind]


def _text(rule: dict[str, Any], dice: Random) -> str:
    least, most = rule.get("minLength", 0), rule.get("maxLength", 300)
    if "pattern" not in rule:
        length = dice.choice((least, most, dice.randint(least, most)))
        return "".join(dice.choice("ab \n-:é\u2028\U0001f600") for _ in range(length))
    exact = re.compile(rule["pattern"].removesuffix("$") + (r"\Z" if rule["pattern"].endswith("$") else ""))
    return dice.choice([text for text in TEXTS if exact.search(text) and least <= len(text) <= most])


def _mapping(rule: dict[str, Any], dice: Random) -> dict[str, Any]:
    needed, more = rule.get("required", ()), rule.get("additionalProperties")
    found = {
        name: fitting(below, dice)
        for name, below in rule.get("properties", {}).items()
        if name in needed or dice.random() < 0.5
    }
    if isinstance(more, dict):
        found |= {f"other-{at}": fitting(more, dice) for at in range(dice.randrange(3))}
    return found


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document, its own first."""
    yield above
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(below, (*above, key))


def broken(document: Any, where: tuple[Any, ...], way: str, odd: Any) -> Any:
    """A copy in which one value is removed, has another beside it, is longer, or is another."""
    if not where:
        return odd
    made = copy.deepcopy(document)
    inside = made
    for step in where[:-1]:
        inside = inside[step]
    last = where[-1]
    if way == "removed":
        del inside[last]
    elif way == "beside" and isinstance(inside, dict):
        inside["unknown"] = odd
    elif way == "longer" and isinstance(inside[last], str):
        inside[last] += odd if isinstance(odd, str) else "x"
    else:
        inside[last] = odd
    return made


@cache
def reader(noun: str) -> Any:
    return Reader(schemas.schema(noun))


def agree(noun: str, document: Any) -> bool:
    """Whether the document fits; both readers must say the same."""
    ours = not list(schemas.problems(noun, document))
    assert ours == reader(noun).is_valid(document), ascii(document)[:500]
    return ours


@pytest.mark.parametrize("noun", NOUNS)
def test_a_schema_is_one_by_the_standard(noun: str) -> None:
    schema, standard = schemas.schema(noun), jsonschema.Draft202012Validator
    assert schema["$schema"] == standard.META_SCHEMA["$id"]
    assert list(standard(standard.META_SCHEMA).iter_errors(schema)) == []


def test_both_readers_agree_on_every_example() -> None:
    fits = {"valid": 0, "invalid": 0}
    for path in EXAMPLES:
        try:
            document = yaml_documents.parse(path.read_bytes(), "").value
        except DevsError:  # what is refused as YAML, such as a key that stands twice
            continue
        fits[path.parent.name] += agree(path.parent.parent.name, document)
    assert fits == {"valid": len([path for path in EXAMPLES if path.parent.name == "valid"]), "invalid": 0}


@pytest.mark.parametrize("noun", NOUNS)
def test_both_readers_take_a_document_that_fits(noun: str) -> None:
    dice = Random(noun)
    assert all(agree(noun, fitting(schemas.schema(noun), dice)) for _ in range(DOCUMENTS))


@pytest.mark.parametrize("noun", NOUNS)
def test_both_readers_agree_on_a_document_with_two_odd_values(noun: str) -> None:
    dice = Random(noun)
    said = set()
    for _ in range(DOCUMENTS):
        document = fitting(schemas.schema(noun), dice)
        for _ in range(2):
            where = dice.choice(list(places(document)))
            document = broken(document, where, dice.choice(WAYS), dice.choice(ODD))
        said.add(agree(noun, document))
    assert False in said


@pytest.mark.parametrize("noun", NOUNS)
def test_both_readers_agree_wherever_one_value_is_odd(noun: str) -> None:
    dice = Random(noun)
    said = set()
    for _ in range(2):
        document = fitting(schemas.schema(noun), dice)
        for where in places(document):
            for way in WAYS:
                for odd in ODD if way == "another" else dice.sample(ODD, 5):
                    said.add(agree(noun, broken(document, where, way, odd)))
    assert said == {True, False}


def test_a_principal_with_a_space_of_any_alphabet_is_refused() -> None:
    policy = {"genesis": "0" * 40, "approvers": [{"principal": "jane\xa0doe"}]}
    assert [where for where, _ in schemas.problems("policy", policy)] == [("approvers", 0, "principal")]
