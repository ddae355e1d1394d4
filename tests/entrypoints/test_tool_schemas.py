"""The input schema of each tool agrees with the checks of its verb: enums, lengths, patterns and bounds."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from devs_git.domain.checkpoints import branch_names, commit_trailers
from devs_git.domain.gates import gate_model
from devs_git.domain.ledger import event_keys, ids
from devs_git.domain.text import field_values
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import DevsError
from devs_git.storage.documents import schemas
from tests.entrypoints.samples import sample

pytestmark = pytest.mark.quick

TEXTS = (
    "", " ", "x", "x ", " x", "x\n", "x\ny", "a\x1bb", "a\x85b", "a\u2028b", "a\u202eb", "a\u200eb", "é", "😀", "-x", "--all",
    "../x", "/etc/passwd", "a/b", "a//b", "a/", "a.", "a.lock", "a..b", ".a", "a@{0}", "HEAD", "main", "origin/main",
    "devs/ledger", "refs/heads/main", "snapshot/", "snapshot/x", "snapshot/-x", "snapshot/a b", "10", "task-10", "task-",
    "task-task-10", "task-10@3", "10@0", "10@1234567890", "10@3@4", "@3", "0" * 40, "f" * 40, "f" * 39, "A" * 40,
    "1-2", "1-", "12345678901234567-1", "a:b:c", "a:b", "::", "branch", "create_branch", "stash", "discard", "save",
    "developer", "Developer", "boss", "execute", "review", "traces", "messages", "PENDING_APPROVAL", "ALL", "pending",
    "MANUAL", "TAS_REVISION", "x" * 19, "x" * 20, "x" * 100, "x" * 101, "x" * 200, "x" * 201, "x" * 400, "x" * 401,
    "x" * 1000, "x" * 1001, "x" * 2000, "x" * 2001, "x" * 65_536, "x" * 65_537, "x" * 100_000, "x" * 100_001,
)  # fmt: skip
NUMBERS = (
    -1,
    0,
    1,
    3,
    4,
    200,
    201,
    10_000,
    10_001,
    100_000,
    100_001,
    1_000_000,
    1_000_001,
    (1 << 53) - 1,
    1 << 53,
)
LISTS: tuple[list[str], ...] = ([], [""], ["x"], ["x", ""], ["x" * 200], ["x" * 201], ["a\nb"])
# What no pattern says that every reader of patterns reads alike: the verb refuses these by a rule of its own.
BY_RULE = (
    *("a..b", "a.lock", "a.", "task-", "task-task-10"),  # of ids and names
    *("a//b", "a/", "snapshot/", "HEAD", "origin/main", "devs/ledger", "refs/heads/main"),  # of branches
    *(" ", "x ", "é"),
)


def _inner(
    schema: dict[str, Any], where: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Every place in a schema that describes one value."""
    if schema["type"] == "object":
        for name, below in schema["properties"].items():
            yield from _inner(below, (*where, name))
    else:
        yield where, schema


def _values(schema: dict[str, Any]) -> tuple[Any, ...]:
    kinds: dict[str, tuple[Any, ...]] = {"string": TEXTS, "integer": NUMBERS, "array": LISTS}
    return kinds.get(schema["type"], (True, False))


def _with(arguments: dict[str, Any], where: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(arguments)
    inner = changed
    for part in where[:-1]:
        inner = inner[part]
    inner[where[-1]] = value
    return changed


def _by_verb(name: str, arguments: dict[str, Any]) -> str:
    """The argument that the verb's own checks refuse; '' if they accept all."""
    tool = TOOLS[name]
    fields = {one.name: one.target for one in tool.params if not one.worktree}
    given = {
        fields[key]: tuple(value) if isinstance(value, list) else value
        for key, value in arguments.items()
        if key in fields
    }
    try:
        importlib.import_module(tool.verb.module).Request(**given, **tool.fixed)
        if name == "git_checkout":  # which first looks whether there is such a branch
            branch_names.check(str(given["branch_name"]))
    except DevsError as error:
        return str(error.details.get("field") or error.details.get("branch", error.code) or error.code)
    return ""


def _cases() -> Iterator[Any]:
    for name, tool in TOOLS.items():
        for where, schema in _inner(tool.input_schema()):
            if where:
                yield pytest.param(name, where, schema, id=f"{name} {'.'.join(where)}")


# Values that a tool refuses and its verb takes on the command line, where they mean that nothing was said.
STRICTER = {
    ("checkpoint_diff", "checkpoint"): ("",),
    ("list_gates", "gate_type"): ("",),
    ("start_task", "phase"): ("",),
    ("start_task", "agent"): ("",),
    ("get_history", "phase"): ("",),
    ("get_history", "agent"): ("",),
    ("fork_task", "fork_from_type"): ("",),
    ("fork_task", "branch_name"): ("",),
}
NO_NUMBER_OF_JSON = 1 << 53
# What depends on another argument (a plan has a target and options of its own), and parts of a name that are too long.
LONG_PARTS = ("x" * 400, "x" * 401, "x" * 1000)
TOGETHER = {
    ("rewind_to_task", "task_id"): ("",),
    ("rewind_to_task", "plan_id"): ("a:b:c",),
    ("rewind_conversation", "to_message_id"): ("",),
    ("rewind_conversation", "to_timestamp"): ("",),
    ("branch_from_checkpoint", "branch_name"): ("snapshot/x", "snapshot/-x", *LONG_PARTS),
}


# Tools that take exactly one, or at most one, of these arguments.
ONE_OF = {"rewind_conversation": ("by_message_count", "to_message_id", "to_timestamp")}
# Arguments that make sense only with another one.
WITH: dict[tuple[str, str], dict[str, Any]] = {
    **{("rewind_conversation", name): {"rewind_code": True} for name in ("preserve", "untracked")},
    **{
        ("resume_task", name): {"resume_mode": "clean_restart"}
        for name in ("new_task_name", "new_task_plan", "preserve", "untracked")
    },
    ("resume_task", "fork"): {"resume_mode": "clean_restart", "new_task_name": "1b"},
    ("resume_task", "checkpoint_id"): {"resume_mode": "from_checkpoint"},
}


def _base(name: str, argument: str) -> dict[str, Any]:
    """Valid arguments beside this one."""
    if name == "get_conversation" or argument in ONE_OF.get(name, ()):
        return {}
    return {**sample(name), **WITH.get((name, argument), {})}


@pytest.mark.parametrize(("name", "where", "schema"), list(_cases()))
def test_a_value_that_the_schema_refuses_the_verb_refuses_and_the_other_way_round(
    name: str, where: tuple[str, ...], schema: dict[str, Any]
) -> None:
    whole = TOOLS[name].input_schema()
    base = _base(name, where[0])
    assert where[0] in ONE_OF.get(name, ()) or not _by_verb(name, base)
    for value in _values(schema):
        arguments = _with(base, where, value)
        announced = [".".join(map(str, path)) for path, _ in schemas.departures(whole, arguments)]
        refused = _by_verb(name, arguments)
        short = value if not isinstance(value, str) else f"{value[:30]!r} ({len(value)})"
        own = (name, where[-1])
        if announced:
            stricter = (*STRICTER.get(own, ()), NO_NUMBER_OF_JSON)
            assert refused or value in stricter, f"only the schema refuses {short}"
        elif refused and value not in (
            *BY_RULE,
            *TOGETHER.get(own, LONG_PARTS if where == ("branch_name",) else ()),
        ):
            pytest.fail(f"only the verb refuses {short}: {refused}")


@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_is_one_that_every_reader_of_schemas_reads_as_we_do(name: str) -> None:
    whole = TOOLS[name].input_schema()
    jsonschema.Draft202012Validator.check_schema(whole)
    reader = jsonschema.Draft202012Validator(whole)
    for where, schema in _inner(whole):
        for value in _values(schema) if where else ():
            arguments = _with(sample(name), where, value)
            if str(value).endswith("\n"):
                continue  # jsonschema takes a pattern's `$` as Python does
            ours = bool(list(schemas.departures(whole, arguments)))
            assert ours == (not reader.is_valid(arguments)), (
                where,
                value if len(str(value)) < 50 else "long",
            )


def test_every_word_that_a_verb_chooses_among_is_announced() -> None:
    start, ask = TOOLS["start_task"].input_schema(), TOOLS["request_tas_revision"].input_schema()
    assert start["properties"]["agent"]["enum"] == [*commit_trailers.AGENTS]
    assert start["properties"]["phase"]["enum"] == [*event_keys.PHASES]
    assert start["properties"]["title"]["maxLength"] == field_values.MAX_VALUE
    assert ask["properties"]["agent_id"]["enum"] == [*commit_trailers.AGENTS]
    blocker = ask["properties"]["blocker_description"]
    assert (blocker["minLength"], blocker["maxLength"]) == (gate_model.LEAST, gate_model.MOST)
    assert ids.TASK_FORM in start["properties"]["task_id"]["pattern"]


def test_what_is_wrong_with_a_value_is_told_in_the_words_of_the_verb(initialised: Any) -> None:
    for name, arguments, words in (
        ("start_task", {"task_id": "../x"}, "'../x' is not a task id."),
        ("start_task", {"task_id": "1", "agent": "boss"}, "'boss' is not a valid agent."),
        (
            "start_task",
            {"task_id": "1", "title": "x" * 201},
            "The title has at most 200 characters; this one has 201.",
        ),
        ("checkpoint_diff", {"checkpoint": ""}, "checkpoint is empty."),
    ):
        said = calling.call(name, arguments, initialised).value
        assert said["code"] == "INVALID_ARGUMENTS"
        assert said["message"].startswith(words)
