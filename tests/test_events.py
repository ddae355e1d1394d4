"""Every verb that changes state is an event of the ledger, with actor, tier, times and outcome.

The verb table names the verbs; SCENARIOS says how each is brought to change something. What only records or writes
configuration leaves no event and stands in EXEMPT, with the reason.
"""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.domain.ledger.events import EFFECTS, Event
from devs_git.domain.verbs import CHANGES, VERBS
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support.event_examples import TYPES
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick

# Lines are verbs of ours, or commands for sh where they begin with `$`; with `y`, verbs that a person answers so.
ASK = 'gate request --type MANUAL --blocker "The release waits for a person."'
TASK = ("task start 10 --title x", "$ echo 1 > new", "task complete --all -m x")
TWO_TASKS = (*TASK, "task start 11", "$ echo 2 > new", "task complete --all -m y")
# A backup of ninety-one days ago: git names the time, and the objects are those of the newest backup.
OLD_BACKUP = (
    "old=$(GIT_COMMITTER_DATE=@$(($(date +%s) - 7862400)) git commit-tree -m x HEAD^{tree})"
    " && git update-ref refs/devs/backup/20010203T040506-1a2b3c4d $old"
)
LONG_AGO = f"DEVS_GIT_CLOCK=2001-02-03T04:05:06Z {sys.executable} -m devs_git"
# Two messages of one session.
SESSION = "$ " + " && ".join(
    f"""printf '%s\\n' '{{"type":"user","uuid":"m{at}","sessionId":"s1","message":{{"content":"{at}"}}}}' >> ../said.jsonl"""
    for at in (1, 2)
)
SCENARIOS: dict[str, tuple[tuple[str, ...], str]] = {
    "init": (("init --uninstall",), "init"),
    "task start": (
        TASK,
        "task start 11 --title x --plan y --agent developer --phase execute --contract z --parent 10 --spawned-by s1",
    ),
    "task complete": (TASK[:2], TASK[2]),
    "contract start": ((), "contract start release-2 --supervisor s1"),
    "phase set": (
        ("contract start release-2", "phase set plan --contract release-2"),
        "phase set execute --contract release-2",
    ),
    "task result": (TASK[:1], "task result 10"),
    "task abandon": (TASK[:1], "task abandon"),
    "task switch": ((*TASK[:1], "task abandon"), "task switch 10"),
    "checkpoint": (TASK[:2], "checkpoint --all -m x"),
    "rewind": (TWO_TASKS, "rewind task-10"),
    "drop": (TWO_TASKS, "drop task-11"),
    "fork": (TASK, "fork task-10 --name 11 --plan y"),
    "resume": (TASK, "resume task-10 --mode clean_restart"),
    "undo": ((*TWO_TASKS, "rewind task-10"), "undo"),
    "conversation rewind": (
        (SESSION, "conversation import ../said.jsonl"),
        "conversation rewind --by-messages 1",
    ),
    "checkout": (("$ git branch other",), "checkout other"),
    "history-rewritten": (
        (*TASK, "$ git -c core.hooksPath=/dev/null commit -q --amend --no-edit --date=2001-02-03T04:05:06"),
        "history-rewritten",
    ),
    "branch": (TASK, "branch task-10 -b try"),
    "restore": (TWO_TASKS, "restore task-10"),
    "snapshot create": (("$ echo 3 > new",), "snapshot create"),
    "snapshot open": (("$ echo 3 > new", "snapshot create"), "snapshot open {snapshot}"),
    "directive add": (TASK[:1], "y directive add 10 text"),
    "directive withdraw": ((*TASK[:1], "y directive add 10 text"), "y directive withdraw {directive}"),
    "gate request": ((), ASK),
    "gate approve": ((ASK,), "y gate approve {gate} --reason fine"),
    "gate reject": ((ASK,), "y gate reject {gate} --reason no"),
    "purge": (("trace put",), 'purge --text "It works" --yes'),
    # Long ago, because nothing that was completed in this second is old.
    "archive": (
        (f"$ {LONG_AGO} task start 10", "$ echo 1 > new", f"$ {LONG_AGO} task complete --all -m x"),
        "archive",
    ),
    "prune": (
        (*TWO_TASKS, "rewind task-10", f"$ {OLD_BACKUP}"),
        "prune --yes",
    ),
    "trace prune": (("trace put",), "trace prune --older-than 0d --yes"),
    "snapshot prune": (("$ echo 3 > new", "snapshot create"), "snapshot prune --older-than 0d --yes"),
}
EXEMPT: dict[str, str] = {
    "sync": "It carries events; of its own it writes at most the merge, which tests/commands/test_sync.py looks at.",
}
CHANGING = [
    name for name, row in VERBS.items() if row.tier >= CHANGES and not row.records and name not in EXEMPT
]
HERE = [name for name in CHANGING if find_spec(VERBS[name].module)]
ALWAYS = (
    "Devs-Format",
    "Devs-Verb",
    "Devs-Actor",
    "Devs-Tier",
    "Devs-Worktree",
    "Devs-Started",
    "Devs-Finished",
    "Devs-Outcome",
)
RECORDS = (
    (r"policy\.yaml", "policy"),
    (r"(tasks|work)/.*", "task"),
    (r"rewinds/.*", "rewind"),
    (r"directives/.*", "directive"),
    (r"gates/.*/request\.yaml", ""),
    (r"gates/.*/decision\.yaml", "decision"),
)
NO_RECORDS = re.compile(r"README\.md|open/.*|gates/.*/decision\.yaml\.sig")
README = (Path(__file__).parent.parent / "schemas" / "README.md").read_text(encoding="utf-8")


def run(line: str, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if line.startswith("$"):
        subprocess.run(["sh", "-ec", line[1:]], cwd=top, check=True, capture_output=True)
        return
    if line.startswith("y "):
        tip = Workspace.open(top).ledger.tip()
        ids = {"{gate}": tip.names("open"), "{directive}": tip.names("directives")}
        words = [
            ids[word][0].removesuffix(".yaml") if word in ids else word for word in shlex.split(line)[1:]
        ]
        assert at_terminal(top, *words, typed="y\n")[0] == 0, line
        return
    found = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads/snapshot"],
        cwd=top,
        check=True,
        capture_output=True,
    )
    words = shlex.split(line.replace("{snapshot}", found.stdout.decode().strip()))
    monkeypatch.setattr(sys, "argv", ["devs-git", *words])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"It works.\n")))
    assert main() == 0, line


def new_events(name: str, top: Path, monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """The events that the scenario's last line left, after its first ones."""
    before, last = SCENARIOS[name]
    for line in before:
        run(line, top, monkeypatch)
    tip = Workspace.open(top).ledger.tip().oid
    run(last, top, monkeypatch)
    return list(Workspace.open(top).ledger.events(since=tip))


def test_every_verb_that_changes_state_has_a_scenario_or_a_reason() -> None:
    assert set(SCENARIOS) == set(CHANGING)
    assert set(EXEMPT) <= set(VERBS)


@pytest.mark.parametrize("name", HERE)
def test_a_verb_that_changes_state_leaves_one_event_that_tells_all(
    name: str, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = new_events(name, initialised, monkeypatch)
    assert [event.get("Devs-Verb") for event in events] == [name]
    event = events[0]
    assert all(event.get(key) for key in ALWAYS)
    assert (event.get("Devs-Tier"), event.get("Devs-Outcome")) == (str(VERBS[name].tier), "ok")
    assert event.get("Devs-Actor") == "Ada <ada@example.org>"
    assert event.get("Devs-Started") <= event.get("Devs-Finished")
    assert_described(event)
    assert_records_fit(initialised)


def assert_described(event: Event) -> None:
    """schemas/README.md has a row for the event's type, with each of its trailers."""
    row = re.search(rf"^\| `{re.escape(event.type)}` \|(.*)$", README, re.MULTILINE)
    assert row, f"schemas/README.md does not list the event {event.type}"
    told = set(re.findall(r"`(Devs-[A-Za-z-]+)", row[1])) | set(ALWAYS)
    assert {key for key, _ in event.fields} <= told, (
        f"schemas/README.md does not list all trailers of {event.type}"
    )


def test_every_type_of_event_in_the_source_is_described() -> None:
    assert len(TYPES) > 20
    # No verb writes `dropped` yet.
    types = TYPES | (set(EFFECTS) - {"dropped"})
    assert {name for name in types if f"| `{name}` |" not in README} == set()


def assert_records_fit(top: Path) -> None:
    """Every record in the ledger fits its schema."""
    ledger = Workspace.open(top).ledger
    paths = ledger.git.text("ls-tree", "-r", "--name-only", "refs/heads/devs/ledger").splitlines()
    for path in paths:
        if NO_RECORDS.fullmatch(path):
            continue
        noun = next((noun for form, noun in RECORDS if re.fullmatch(form, path)), None)
        assert noun is not None, f"{path} has no schema"
        data = ledger.tip().read(path) or b""
        assert data.startswith(b"# yaml-language-server: $schema=https://"), (
            f"{path} names no schema to editors"
        )
        if not noun:
            noun = gate_files.schema_of(yaml_documents.load(data, path)["gate_type"])
        yaml_documents.load(data, path, noun)


def test_the_control_arm_a_verb_that_leaves_no_event_is_found_out(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCENARIOS, "branch", (TASK, "log"))
    with pytest.raises(AssertionError):
        test_a_verb_that_changes_state_leaves_one_event_that_tells_all("branch", initialised, monkeypatch)
