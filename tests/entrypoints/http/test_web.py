"""The HTTP server: the plain form, REST and the OpenAPI document."""

from __future__ import annotations

import contextlib
import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.commands import conversation_import
from devs_git.entrypoints import router
from devs_git.entrypoints.http.border import MOST_BYTES
from devs_git.entrypoints.http.routes import ROUTES
from devs_git.entrypoints.tools import calling
from devs_git.errors import CODES
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.web_client import Web, serve

TASK = "/api/v1/mesh/tasks/1"
UNREADABLE = [
    (b"{", 400, "body"),
    (b"", 400, "tool"),
    (b"[]", 400, "body"),
    (b'"x"', 400, "body"),
    (b"\xff\xfe{}", 400, "body"),
    (b'{"tool": NaN}', 400, "body"),
    (b'{"tool": ' + b"9" * 5000 + b"}", 400, "body"),
    (b"[" * 100_000, 400, "body"),
    (b'{"tool":"git_status","params":' + b'{"a":' * 200 + b"1" + b"}" * 201, 422, "a"),
    (b'{"tool":"git_status","params":{"a":"\\ud800"}}', 422, "a"),
    (b'{"tool":"git_status","params":{"\\ud800":1}}', 422, "arguments"),
    (b'{"tool":"start_task","params":{"task_id":"1","title":"\\u0000"}}', 422, "title"),
    (b'{"tool":"list_checkpoints","params":{"limit":1e30}}', 422, "limit"),
    (b'{"tool":"list_checkpoints","params":{"limit":99999999999999999999}}', 422, "limit"),
    (b'{"tool":"git_status","params":[]}', 400, "params"),
    (b'{"tool":7}', 400, "tool"),
    (b'{"tool":"git_status","more":1}', 400, "more"),
    (b'{"tool":"no_such_tool"}', 422, "tool"),
    (b'{"tool":"gate_approve","params":{"gate_id":"x"}}', 422, "tool"),
]
REFUSED = [
    ("GET", "/api/v1/mesh/tasks/nope/checkpoints", 404, "TASK_NOT_FOUND"),
    ("GET", f"{TASK}/checkpoints/9/diff", 404, "CHECKPOINT_NOT_FOUND"),
    ("POST", "/api/v1/mesh/tasks/nope/rewind", 404, "TASK_NOT_FOUND"),
    ("GET", "/api/v1/mesh/tasks/..%2F..%2Fx/checkpoints", 404, "INVALID_ARGUMENTS"),
    ("GET", "/api/v1/mesh/tasks/--output=x/checkpoints", 422, "INVALID_ARGUMENTS"),
    ("GET", "/api/v1/mesh/tasks/1@1/checkpoints", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/checkpoints/-1/diff", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/checkpoints?limit=501", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/checkpoints?limit=x", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/checkpoints?limit=1&limit=2", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/checkpoints?nope=1", 422, "INVALID_ARGUMENTS"),
    ("POST", f"{TASK}/rewind?dry_run=true", 422, "INVALID_ARGUMENTS"),
    ("GET", "/api/v1/mesh/tasks/77/conversation", 404, "TASK_NOT_FOUND"),
    ("GET", f"{TASK}/conversation?cursor=x", 422, "INVALID_ARGUMENTS"),
    ("GET", f"{TASK}/conversation/snapshots?cursor=x", 422, "INVALID_ARGUMENTS"),
    ("POST", f"{TASK}/conversation/snapshots", 404, "MESSAGE_NOT_FOUND"),
    ("GET", "/api/v1/contracts/nope/history", 404, "CONTRACT_NOT_FOUND"),
    ("GET", "/api/v1/timeline?cursor=x", 422, "INVALID_ARGUMENTS"),
    ("DELETE", f"{TASK}/rewind", 405, "INVALID_ARGUMENTS"),
    ("GET", "/nope", 404, "INVALID_ARGUMENTS"),
]


@pytest.fixture
def web(initialised: Path) -> Iterator[Web]:
    with serve(initialised) as found:
        yield found


@pytest.fixture
def worked(initialised: Path) -> Path:
    """Tasks 1 and 2 are completed; task 1 has two checkpoints."""
    for name, arguments in (
        ("start_task", {"task_id": "1", "title": "x"}),
        ("create_checkpoint", {"message": "m"}),
        ("commit_task", {"task_id": "1", "message": "m"}),
        ("start_task", {"task_id": "2", "title": "x"}),
        ("commit_task", {"task_id": "2", "message": "m"}),
    ):
        (initialised / "work.txt").write_text(name + str(arguments))
        assert not calling.call(name, arguments, initialised).is_error
    return initialised


@pytest.mark.quick
def test_the_plain_form_answers_as_the_tool_does(web: Web, initialised: Path) -> None:
    said = web.tool("get_task_trace", traceId="nonexistent")
    assert (said.status, said.code, said.value["traceId"]) == (404, "TRACE_NOT_FOUND", "nonexistent")
    said = web.tool("git_status")
    assert (said.status, said.value) == (200, calling.call("git_status", {}, initialised).value)
    said = web.post("/mcp", tool="git_status")
    assert said.status == 200


def test_what_nobody_can_read_is_refused_and_never_a_bug(web: Web) -> None:
    for body, status, field in UNREADABLE:
        said = web.send("POST", "/mcp", body)
        found = (said.status, said.code, said.value["field"])
        assert found == (status, "INVALID_ARGUMENTS", field), body[:80]


def test_a_body_beyond_the_limit_is_not_read(web: Web) -> None:
    said = web.send("POST", "/mcp", Content_Length=str(MOST_BYTES + 1))
    assert (said.status, said.value["field"]) == (413, "body")


def test_a_page_of_another_origin_is_turned_away_before_anything_is_read(web: Web) -> None:
    for head in (
        {"Origin": "http://evil.example"},
        {"Host": "evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
    ):
        for method, path in (
            ("POST", "/mcp"),
            ("GET", "/events"),
            ("POST", f"{TASK}/rewind"),
            ("OPTIONS", "/mcp"),
        ):
            said = web.send(method, path, b"{", **head)
            assert (said.status, said.code) == (403, "INVALID_ARGUMENTS")


def test_rest_lists_compares_branches_and_rewinds(worked: Path) -> None:
    with serve(worked) as web:
        first = web.get(f"{TASK}/checkpoints?limit=1").value
        assert [row["number"] for row in first["checkpoints"]] == [2]
        rest = web.get(f"{TASK}/checkpoints?limit=1&cursor={first['next_cursor']}").value
        assert [row["number"] for row in rest["checkpoints"]] == [1]
        assert web.get(f"{TASK}/checkpoints/completed/diff").value["stats"]["files_changed"] == 1
        assert web.get(f"{TASK}/checkpoints/1/diff?hunks=true&hunkLines=1").value["truncated"]
        made = web.post(f"{TASK}/checkpoints/1/branch", branchName="again")
        assert (made.status, made.value["branch"]) == (201, "again")
        assert web.post(f"{TASK}/checkpoints/1/branch", branch_name="again").code == "INVALID_BRANCH"
        forked = web.post(f"{TASK}/fork", newTaskName="1b", forkFromType="checkpoint", forkFromValue=1)
        assert (forked.status, forked.value["forked_from"], forked.value["session"]) == (
            201,
            "task-1@1",
            None,
        )
        titled = web.post(
            f"{TASK}/checkpoints/1/resume", task_name="Once more!", plan="p", target_daemon_id="x"
        )
        assert (titled.status, titled.value["task_id"]) == (201, "task-once-more")
        assert web.post(f"{TASK}/fork", new_task_name="1b").code == "TASK_EXISTS"
        said = web.get(f"{TASK}/conversation?includeToolCalls=false&include_tool_results=false&limit=5")
        assert (said.status, said.value["message_count"]) == (200, 0)
        plan = web.post(f"{TASK}/rewind", dryRun=True).value
        assert web.post("/api/v1/mesh/tasks/2/rewind", plan_id=plan["plan_id"]).value["field"] == "plan_id"
        done = web.post(f"{TASK}/rewind", plan_id=plan["plan_id"])
        assert (done.status, done.value["rewound_to"]) == (200, "task-1")
        assert web.post(f"{TASK}/rewind", plan_id=plan["plan_id"]).status == 409
        assert web.post(f"{TASK}/rewind", number=1).value["rewound_to"] == "task-1@1"


def test_a_rewind_over_rest_takes_a_checkpoint_by_its_id_or_its_oid_and_only_one_of_its_task(
    worked: Path,
) -> None:
    with serve(worked) as web:
        rows = {row["number"]: row for row in web.get(f"{TASK}/checkpoints").value["checkpoints"]}
        other = web.get("/api/v1/mesh/tasks/2/checkpoints").value["checkpoints"][0]
        for wanted in (
            {"checkpointId": 1},
            {"checkpointId": "1"},
            {"checkpointId": "task-1@1"},
            {"checkpointSha": rows[1]["commit"]},
            {"checkpoint_sha": rows[1]["tag"]},
            {"checkpointId": rows[1]["commit"]},
        ):
            plan = web.post(f"{TASK}/rewind", dryRun=True, targetDaemonId="anything", **wanted).value
            assert plan["would_reset_to_commit"] == rows[1]["commit"], wanted
        for wanted, code in (
            ({"checkpointSha": other["commit"]}, "CHECKPOINT_NOT_FOUND"),
            ({"checkpointId": "task-2@1"}, "INVALID_ARGUMENTS"),
            ({"checkpointId": 1, "checkpointSha": rows[1]["commit"]}, "INVALID_ARGUMENTS"),
            ({"checkpointSha": "1234567"}, "INVALID_ARGUMENTS"),
            ({"preserveMode": "stash", "preserve": "stash"}, "INVALID_ARGUMENTS"),
        ):
            assert web.post(f"{TASK}/rewind", dryRun=True, **wanted).code == code, wanted
        done = web.post(f"{TASK}/rewind", checkpointId=2, preserveMode="create_branch", branchName="kept")
        assert (done.status, done.value["preserved_as"]["type"]) == (200, "branch")
        assert done.value["preserved_as"]["reference"].endswith("kept")


def test_snapshots_of_a_conversation_are_made_and_listed_over_rest(worked: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    message = {"role": "user", "content": "Go on."}
    line = {"type": "user", "uuid": "u-1", "parentUuid": None, "sessionId": "s-1", "message": message}
    transcript.write_text(json.dumps(line) + "\n")
    router.call(
        "conversation import", Workspace.open(worked), conversation_import.Request(transcript, task="1")
    )
    with serve(worked) as web:
        made = [web.post(f"{TASK}/conversation/snapshots") for _ in range(3)]
        assert [(said.status, said.value["task_id"]) for said in made] == [(201, "task-1")] * 3
        point = {
            "client": "claude",
            "session_id": "s-1",
            "entry": "u-1",
            "message_id": "u-1",
            "message_count": 1,
        }
        assert made[0].value["point"] == point
        first = web.get(f"{TASK}/conversation/snapshots?limit=2").value
        rest = web.get(f"{TASK}/conversation/snapshots?cursor={first['next_cursor']}").value
        listed = [*first["snapshots"], *rest["snapshots"]]
        assert sorted(one["snapshot_id"] for one in listed) == sorted(
            one.value["snapshot_id"] for one in made
        )
        assert (
            calling.call("list_conversation_snapshots", {"task_id": "1", "limit": 2}, worked).value == first
        )


def test_the_timeline_has_what_history_prints_and_a_contract_its_own(initialised: Path) -> None:
    calling.call("start_task", {"task_id": "1", "title": "x", "contract": "the dates"}, initialised)
    calling.call("git_checkout", {"branch_name": "main"}, initialised)
    with serve(initialised) as web:
        first = web.get("/api/v1/timeline?limit=1").value
        assert [event["event_data"]["event"] for event in first["events"]] == ["checked-out"]
        rest = web.get(f"/api/v1/timeline?cursor={first['next_cursor']}").value
        assert rest["events"][0]["event_data"]["event"] == "task.started"
        assert calling.call("get_history", {"cursor": first["next_cursor"]}, initialised).value == rest
        own = web.get("/api/v1/contracts/the%20dates/history").value["events"]
        assert [(event["task_id"], event["contract"]) for event in own] == [("task-1", "the dates")]


def test_rest_refuses_with_the_envelope(worked: Path) -> None:
    with serve(worked) as web:
        for method, path, status, code in REFUSED:
            said = web.send(method, path)
            assert (said.status, said.code) == (status, code), path


def test_a_route_that_another_method_is_for_says_which(web: Web) -> None:
    said = web.send("PUT", f"{TASK}/rewind", b"{}")
    assert (said.status, said.value["message"]) == (405, "This route answers POST only.")


def test_an_open_gate_is_a_conflict_and_no_route_decides_it(worked: Path) -> None:
    gate = gate_scene.ask(Workspace.open(worked), kind="MANUAL")
    with serve(worked) as web:
        said = web.post(f"{TASK}/rewind")
        assert (said.status, said.code, said.value["gate_id"]) == (409, "GATE_BLOCKED", gate)
        assert web.get(f"{TASK}/checkpoints").status == 200
    words = {word for route in ROUTES for word in route.path.split("/")}
    assert not words & {"gates", "approve", "reject", "decision"}


def test_the_document_describes_every_route_and_its_answers(worked: Path) -> None:
    with serve(worked) as web:
        document = web.get("/api/v1/openapi.json").value
        assert set(document["paths"]) == {f"/api/v1{route.path}" for route in ROUTES}
        for route in ROUTES:
            operation = document["paths"]["/api/v1" + route.path][route.method.lower()]
            assert {str(route.status), "404", "409", "422"} <= set(operation["responses"])
            if route.method == "POST":
                said = web.send("POST", f"/api/v1{route.path}".replace("{id}", "1").replace("{n}", "1"), b"{")
                assert str(said.status) in operation["responses"]
            assert "$ref" not in json.dumps(operation["parameters"])
        assert set(document["components"]["schemas"]["Error"]["properties"]["code"]["enum"]) == set(CODES)


def test_a_long_answer_names_its_trace_in_its_head(worked: Path) -> None:
    with serve(worked) as web:
        for number in ("3", "4"):
            web.tool("start_task", task_id=number)
            web.tool("commit_task", task_id=number, message="m")
        said = web.tool("rewind_to_task", task_id="1")
        trace = web.tool("get_task_trace", traceId=said.headers["devs-trace-id"])
        assert json.loads(trace.value["fullOutput"]) == said.value
        assert "devs-trace-id" not in web.tool("list_gates").headers


def test_answers_on_a_kept_connection_wait_for_nothing(web: Web) -> None:
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
    with contextlib.closing(line):
        took = []
        for _ in range(20):
            begun = time.monotonic()
            line.request("POST", "/mcp", b"{}")
            line.getresponse().read()
            took.append(time.monotonic() - begun)
    assert min(took[5:]) < 0.03  # an answer that waits for its acknowledgement takes 40 ms
