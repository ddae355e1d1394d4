"""The trace commands on a real repository, as people and agents call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from devs_git.commands import (
    task_start,
    trace_get,
    trace_list,
    trace_prune,
    trace_put,
    trace_search,
)
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli as cli_main
from devs_git.entrypoints.cli.texts import trace_text
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import gate_scene

LONG = b"".join(b"line %d of TypeError\r\n" % number for number in range(400)) + b"\0\xff"


def put(top: Path, output: bytes, **known: object) -> str:
    request = trace_put.Request(output, **known)  # type: ignore[arg-type]
    return str(router.call("trace put", Workspace.open(top), request).traceId)


def cli(top: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "devs_git", "trace", *words]
    return subprocess.run(command, cwd=top, input=given, capture_output=True, check=False)


@pytest.mark.quick
def test_what_goes_in_by_a_pipe_comes_out_of_a_pipe_byte_for_byte(initialised: Path) -> None:
    done = cli(initialised, "put", "--tool", "pytest", "--error", given=LONG)
    trace_id = done.stdout.decode().strip()
    assert cli(initialised, "get", trace_id).stdout == LONG
    assert cli(initialised, "get", trace_id, "--raw").stdout == LONG
    found = json.loads(cli(initialised, "get", trace_id, "--json").stdout)
    assert (found["traceId"], found["encoding"], found["size"]) == (trace_id, "base64", len(LONG))


@pytest.mark.quick
def test_whether_a_call_failed_comes_from_its_exit_code_and_is_unknown_without_one(initialised: Path) -> None:
    for name, words in (
        ("nobody", ()),
        ("error", ("--error",)),
        ("zero", ("--exit-code", "0")),
        ("three", ("--exit-code", "3")),
        ("killed", ("--error", "--exit-code", "-9")),
    ):
        assert cli(initialised, "put", "--id", name, *words, given=b"found").returncode == 0
    told = {"nobody": None, "error": True, "zero": False, "three": True, "killed": True}
    shown = {None: "-", True: "failed", False: "ok"}
    for verb in (("list",), ("search", "found")):
        found = json.loads(cli(initialised, *verb, "--json").stdout)
        rows = found["traces"] if verb == ("list",) else found["hits"]
        assert {row["trace_id"]: row["is_error"] for row in rows} == told
        lines = cli(initialised, *verb).stdout.decode().splitlines()
        for name, is_error in told.items():
            (line,) = (line for line in lines if line.startswith(name))
            assert line.split()[3] == shown[is_error]
    for word, names in (("yes", {"error", "three", "killed"}), ("no", {"zero"})):
        found = json.loads(cli(initialised, "search", f"found error:{word}", "--json").stdout)
        assert {row["trace_id"] for row in found["hits"]} == names
    refused = cli(initialised, "put", "--error", "--exit-code", "0", "--json", given=b"x")
    assert (refused.returncode, json.loads(refused.stdout)["field"]) == (3, "exit_code")


@pytest.mark.quick
def test_a_tool_call_tells_an_exit_code_too(initialised: Path) -> None:
    for name, given in (("a", {}), ("b", {"exit_code": 0}), ("c", {"exit_code": 1})):
        answer = calling.call("store_trace", {"output": "x", "traceId": name, **given}, initialised)
        assert not answer.is_error
    rows = trace_list.run(Workspace.open(initialised), trace_list.Request()).traces
    assert {row.trace_id: row.is_error for row in rows} == {"a": None, "b": False, "c": True}


def test_a_trace_belongs_to_the_active_task_and_its_commit(initialised: Path, git: object) -> None:
    del git
    router.call(
        "task start", Workspace.open(initialised), task_start.Request("10", title="x", agent="developer")
    )
    trace_id = put(initialised, b"out", tool_name="Bash")
    row = trace_list.run(Workspace.open(initialised), trace_list.Request()).traces[0]
    assert (row.trace_id, row.task_id, row.agent) == (trace_id, "task-10", "developer")
    assert row.commit == Workspace.open(initialised).head


def test_an_unknown_id_and_a_missing_one_are_told_apart(initialised: Path) -> None:
    unknown = cli(initialised, "get", "nope", "--json")
    assert (unknown.returncode, json.loads(unknown.stdout)["code"]) == (3, "TRACE_NOT_FOUND")
    assert json.loads(unknown.stdout)["traceId"] == "nope"
    missing = cli(initialised, "get", "--json")
    said = json.loads(missing.stdout)
    assert (missing.returncode, said["code"]) == (2, "INVALID_ARGUMENTS")
    assert "Missing argument 'ID'" in said["message"]
    for option, field in (("--offset=-1", "offset"), ("--limit=3", "limit")):
        said = json.loads(cli(initialised, "get", "x", option, "--json").stdout)
        assert (said["code"], said["field"]) == ("INVALID_INPUT", field)


@pytest.mark.parametrize("size", [4, 5, 6, 7, 9])
def test_parts_of_a_text_add_up_and_cut_no_character(initialised: Path, size: int) -> None:
    whole = "aé🐍\u2028b" * 3
    trace_id = put(initialised, whole.encode())
    found, offset = "", 0
    while True:
        part = trace_get.run(Workspace.open(initialised), trace_get.Request(trace_id, offset, size))
        assert part.encoding is None
        found += part.fullOutput
        if part.next_offset is None:
            break
        offset = part.next_offset
    assert found == whole


def test_storing_goes_on_while_a_gate_is_open_and_pruning_does_not(initialised: Path) -> None:
    gate = gate_scene.ask(Workspace.open(initialised))
    put(initialised, b"out")
    with pytest.raises(DevsError) as refused:
        router.call("trace prune", Workspace.open(initialised), trace_prune.Request("1d"))
    assert refused.value.envelope()["gate_id"] == gate


@pytest.mark.parametrize("offset", [3, 4, 10**15, 10**30])
def test_behind_the_end_of_an_output_there_is_nothing(initialised: Path, offset: int) -> None:
    put(initialised, b"abc", trace_id="t")
    found = trace_get.run(Workspace.open(initialised), trace_get.Request("t", offset=offset, limit=10**30))
    assert (found.fullOutput, found.size, found.next_offset) == ("", 3, None)


IDS = [
    "a\nb",
    "\x1b[31m",
    'it\'s "so"',
    "../../x",
    " ",
    "\0",
    "x" * 65_536,
    "\u202e",
    "0",
    "-",
    "%s'); DROP TABLE traces;--",
]


def test_any_text_is_an_id_and_none_steers_a_terminal(initialised: Path) -> None:
    for trace_id in IDS:
        assert put(initialised, trace_id.encode(), trace_id=trace_id) == trace_id
        found = trace_get.run(Workspace.open(initialised), trace_get.Request(trace_id))
        assert found.fullOutput == trace_id
    rows = trace_list.run(Workspace.open(initialised), trace_list.Request())
    assert {row.trace_id for row in rows.traces} == set(IDS)
    assert not set("\x1b\0\u202e") & set(trace_text.list_text(rows))
    for bad in ("\udcff", "x" * 65_537):
        with pytest.raises(DevsError) as caught:
            trace_put.Request(b"", trace_id=bad)
        assert caught.value.details["field"] == "trace_id"


@pytest.mark.quick
def test_pruning_by_size_takes_the_oldest_and_gives_the_room_back(initialised: Path) -> None:
    for number in range(8):
        put(
            initialised,
            bytes(str(number), "ascii") + os.urandom(200_000),
            trace_id=f"t-{number}",
        )
    file = initialised / ".git/devs/catalog.db"
    full = file.stat().st_size
    request = trace_prune.Request(max_size=f"{full // 2}B")
    foreseen = trace_prune.run(
        Workspace.open(initialised), trace_prune.Request(max_size=f"{full // 2}B", dry_run=True)
    )
    done = router.call("trace prune", Workspace.open(initialised), request)
    left = [row.trace_id for row in trace_list.run(Workspace.open(initialised), trace_list.Request()).traces]
    assert left == [f"t-{number}" for number in range(7, done.traces - 1, -1)]
    assert (done.traces, done.plan_id) == (foreseen.traces, foreseen.plan_id)
    assert 0 < file.stat().st_size <= full // 2 + 8 * 4096


def test_what_cannot_be_recorded_is_not_deleted(initialised: Path) -> None:
    trace_id = put(initialised, b"one")
    lock = initialised / ".git/refs/heads/devs/ledger.lock"
    lock.touch()  # another git's: the ledger cannot move
    assert cli(initialised, "prune", "--older-than", "0s", "--yes").returncode != 0
    lock.unlink()
    assert cli(initialised, "get", trace_id).stdout == b"one"
    assert cli(initialised, "prune", "--older-than", "0s", "--yes").returncode == 0
    assert cli(initialised, "get", trace_id).returncode == 3


@pytest.mark.quick
def test_a_plan_that_changed_is_not_carried_out(initialised: Path) -> None:
    put(initialised, b"one")
    plan = trace_prune.run(Workspace.open(initialised), trace_prune.Request("0s", dry_run=True))
    put(initialised, b"two")
    with pytest.raises(DevsError, match="changed since the plan"):
        trace_prune.run(Workspace.open(initialised), trace_prune.Request("0s", plan_id=plan.plan_id))


def test_a_search_tells_words_that_it_left_out(initialised: Path) -> None:
    put(initialised, b"w " * 10)
    found = trace_search.run(
        Workspace.open(initialised), trace_search.Request(" ".join(f"w{n}" for n in range(70)))
    )
    assert found.left_out == 6


def test_a_word_that_is_not_wanted_is_no_option(initialised: Path) -> None:
    kept, left = put(initialised, b"connection refused"), put(initialised, b"connection refused, retry")
    found = [
        CliRunner().invoke(cli_main, ["trace", "search", "--repo", str(initialised), *words]).output
        for words in (
            ["connection", "-retry"],
            ["-path", "--limit", "5", "connection", "-retry"],
            ["--", "-retry"],
        )
    ]
    assert [(kept in said, left in said) for said in found] == [(True, False)] * 3


def test_a_repository_without_init_says_so(repo: Path) -> None:
    with pytest.raises(DevsError) as refused:
        trace_list.run(Workspace.open(repo), trace_list.Request())
    assert refused.value.code == "NOT_INITIALIZED"
    assert not (repo / ".git/devs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("prune",),
        ("prune", "--older-than", "never"),
        ("list", "--cursor", "x"),
        ("search", "x", "--limit", "0"),
    ],
)
def test_bad_values_are_refused(initialised: Path, words: tuple[str, ...]) -> None:
    done = cli(initialised, *words, "--json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (3, "INVALID_ARGUMENTS")
