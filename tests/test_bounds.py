"""Every entry point reads a limited number of bytes: what is too large is refused while it is read, with the limit and a way out.

The tables are written by hand: who adds an entry point adds it here. The last one names each file of the package that reads
something without a limit, and whose that is, so that one more is noticed. The body of an HTTP request is tested in
tests/entrypoints/http, git's objects in tests/commands/test_verify_odd.py.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from devs_git import __main__ as program
from devs_git.domain.text import limits
from devs_git.domain.text.limits import Limit
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

pytestmark = pytest.mark.quick

SMALL: Final = 5000  # bytes to which the large limits are lowered here
PACKAGE: Final = Path(program.__file__).parent
Run = Callable[..., str]


class Endless(io.RawIOBase):
    """A program that writes for ever; `given` counts what was taken of it."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        assert size >= 0, "it was to be read to its end"
        self.given += size
        return b"x" * size

    def readline(self, size: int | None = -1, /) -> bytes:
        return self.read(-1 if size is None else size)


BIG: Final = "BIG"  # a file that is too large, in the words of a command
GATE: Final = "GATE"
# Words of the command line, and the limit's name in `limits`.
STREAMS: Final = {
    "gate request --from -": "DOCUMENT",
    "task result 10": "TEXT",
    "trace put": "OUTPUT",
    "hook before-tool claude .git": "PAYLOAD",
    "hook pre-receive": "REFS",
    "hook post-rewrite rebase": "REFS",
}
FILES: Final = {
    f"gate request --from {BIG}": "DOCUMENT",
    f"gate request --type MANUAL --blocker xxxxxxxxxxxxxxxxxxxxxxx --proposal {BIG}": "DOCUMENT",
    f"gate approve {GATE} --signature {BIG}.sig": "SIGNATURE",
    f"gate approve {GATE} --signature {BIG}.sig --signed {BIG}": "SIGNATURE",
    f"gate reject {GATE} --reason no --signature {BIG}.sig": "SIGNATURE",
    f"task start 10 --plan @{BIG}": "TEXT",
    f"history-rewritten --map {BIG}": "REFS",
    f"hook policy-schema {BIG}": "DOCUMENT",
    f"hook commit-trailers {BIG}": "COMMIT",
}
EXITS: Final = {"hook before-tool claude .git": 70, "hook post-rewrite rebase": 0}


@pytest.fixture(autouse=True)
def _lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in vars(limits).items():
        if isinstance(limit, Limit) and limit.most > limits.DOCUMENT.most:
            monkeypatch.setattr(limits, name, replace(limit, most=SMALL))


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit status and what was written, standard error after standard output."""
    monkeypatch.setattr(sys, "argv", ["devs-git", *words])
    status = program.main()
    told = capsys.readouterr()
    return status, told.out + told.err


@pytest.mark.usefixtures("initialised")
@pytest.mark.parametrize("words", STREAMS)
def test_a_stream_without_end_is_refused_while_it_is_read(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless, isatty=lambda: False, fileno=lambda: 0))
    limit: Limit = getattr(limits, STREAMS[words])
    status, text = said(monkeypatch, capsys, *words.split())
    assert endless.given == limit.most + 1
    assert status == EXITS.get(words, 1 if words.startswith("hook") else 3), text
    assert limit.size_text in text
    assert limit.way_out in " ".join(text.split()), text


@pytest.mark.parametrize("words", FILES)
def test_a_file_that_is_too_large_is_refused(
    words: str, initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limit: Limit = getattr(limits, FILES[words])
    gate = ask(Workspace.open(initialised), kind="MANUAL") if GATE in words else ""
    big, small = initialised / "big", initialised / "small"
    both = "--signed" in words  # then the signature itself is small
    for name in ("big", "big.sig"):
        (initialised / name).write_bytes(b"x" * (limit.most + 1))
    small.write_bytes(b"x")
    told = [
        word.replace(BIG + ".sig", str(small) if both else f"{big}.sig")
        .replace(BIG, str(big))
        .replace(GATE, gate)
        for word in words.split()
    ]
    status, text = said(monkeypatch, capsys, *told)
    assert status == (1 if words.startswith("hook") else 3), text
    assert limit.size_text in text
    assert limit.way_out in " ".join(text.split()), text


def test_an_output_in_parts_without_end_is_refused(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "OUTPUT", replace(limits.OUTPUT, most=1 << 20))
    (initialised / "out").write_bytes(b"x" * 1000)
    with (initialised / "out").open() as output:
        monkeypatch.setattr(sys, "stdin", output)
        assert said(monkeypatch, capsys, "trace", "put", "--id", "t")[0] == 0
    file = initialised / "traces.jsonl.gz"
    assert said(monkeypatch, capsys, "trace", "export", "--output", str(file))[0] == 0
    first, head, part = gzip.decompress(file.read_bytes()).splitlines()
    many = 2000
    parts = b"\n".join(json.dumps({**json.loads(part), "part": at}).encode() for at in range(many))
    file.write_bytes(
        gzip.compress(b"\n".join((first, json.dumps({**json.loads(head), "parts": many}).encode(), parts)))
    )
    status, text = said(monkeypatch, capsys, "trace", "import", str(file))
    assert (status, limits.OUTPUT.size_text in text) == (3, True), text


def test_a_line_of_a_transcript_that_is_too_long_is_left_out(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"type": "user", "sessionId": "s", "timestamp": "2001-02-03T04:05:06.000Z", "cwd": "/"}
    told = [
        {**line, "uuid": str(at), "message": {"role": "user", "content": text}}
        for at, text in enumerate("ab")
    ]
    file = initialised / "session.jsonl"
    long = b'{"x": "' + b"x" * (3 * SMALL) + b'"}\n'
    file.write_bytes(json.dumps(told[0]).encode() + b"\n" + long + json.dumps(told[1]).encode() + b"\n")
    status, text = said(monkeypatch, capsys, "conversation", "import", str(file), "--json")
    assert status == 0, text
    assert json.loads(text)["message_count"] == 2
    assert json.loads(text)["garbage"] >= 1


def test_a_payload_of_a_hook_that_is_too_large_is_kept_aside(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = initialised / ".git/devs/spool"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.claude.PostToolUse").write_bytes(b"x" * (SMALL + 1))
    assert said(monkeypatch, capsys, "trace", "ingest")[0] == 0
    assert [file.name for file in (folder / "rejected").iterdir()] == ["1.claude.PostToolUse"]


@pytest.mark.parametrize("tracked", [False, True])
def test_a_policy_that_is_too_large_is_refused(
    tracked: bool, repo: Path, git: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / "devs-policy.yaml").write_bytes(b"#" * (limits.DOCUMENT.most + 1))
    if tracked:
        git("add", "-A")
        git("commit", "-qm", "policy")
    status, text = said(monkeypatch, capsys, "init")
    assert (status, "POLICY_INVALID" in text, limits.DOCUMENT.size_text in text) == (3, True, True), text


def test_a_clients_file_that_is_too_large_is_refused(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (initialised / ".claude").mkdir()
    (initialised / ".claude/settings.json").write_bytes(b" " * (SMALL + 1))
    status, text = said(monkeypatch, capsys, "agent", "install", "claude")
    assert (status, limits.FILE.size_text in text) == (3, True), text


def test_a_message_to_the_mcp_server_that_is_too_large_is_refused_and_the_next_is_read(
    initialised: Path,
) -> None:
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": start}
    code = (
        "from devs_git.domain.text import limits\nfrom devs_git.values import replace\nfrom pathlib import Path\n"
        f"limits.MESSAGE = replace(limits.MESSAGE, most={SMALL})\n"
        "from devs_git.entrypoints.mcp import stdio\nstdio.main(Path('.'))\n"
    )
    given = b"x" * (3 * SMALL) + b"\n" + json.dumps(hello).encode() + b"\n"
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, check=True, cwd=initialised
    )
    refused, answer = (json.loads(line) for line in done.stdout.splitlines())
    assert refused["error"]["code"] == -32700
    assert answer["id"] == 7


def test_an_answer_at_a_terminal_is_read_up_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from devs_git.entrypoints.cli import terminal

    endless = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=lambda size: endless.read(size).decode()))
    with pytest.raises(terminal.Declined):
        terminal.ask("?")
    assert endless.given == limits.ANSWER.most


def test_every_limit_has_a_reason_and_a_way_out() -> None:
    named = {name for name, limit in vars(limits).items() if isinstance(limit, Limit)}
    assert len(limits.ALL) == len(named)
    for limit in limits.ALL:
        assert limit.why.endswith(".") and limit.way_out, limit.what  # noqa: PT018


# How often a file of the package reads something to its end without a limit, and whose that is. Who may write into a git
# directory may do more than fill our memory; what is moved in the tree is kept whole, as git does.
GIT, OURS, TREE, ASKED = "git's own", "our note in the git directory", "a file that is moved", "no stream"
WITHOUT_LIMIT: Final = {
    "entrypoints/cli/demo.py": (1, ASKED),
    "entrypoints/cli/purge.py": (1, "whether it is a terminal"),
    "entrypoints/cli/terminal.py": (3, "whether it is a terminal, and answers of limited length"),
    "entrypoints/hooks/after_tool.py": (1, OURS),
    "entrypoints/scratch_repository.py": (3, ASKED),
    "storage/moments/captured_state.py": (1, OURS),
    "storage/moments/last_moment.py": (5, OURS),
    "storage/moments/loss_note.py": (1, OURS),
    "operations/moments/net.py": (1, OURS),
    "operations/moments/net_loss.py": (1, GIT),
    "storage/worktree/active_task.py": (2, OURS),
    "storage/ledger/broken_refs.py": (1, GIT),
    "storage/ledger/known_tips.py": (1, OURS),
    "storage/ledger/clone_history.py": (1, OURS),
    "storage/ledger/visible_tags.py": (1, OURS),
    "operations/checkpoint/commit_work.py": (3, GIT),
    "operations/recall/worktree_note.py": (1, OURS),
    "storage/git/discovery.py": (2, GIT),
    "storage/worktree/files_aside.py": (1, OURS),
    "storage/worktree/attributes.py": (1, "a file that is moved"),
    **{f"storage/worktree/{one}.py": (1, GIT) for one in ("capture", "ref_changes")},
    "storage/worktree/journal.py": (1, OURS),
    "operations/rewind/reach.py": (1, GIT),
    "storage/worktree/interrupted/ownership.py": (3, TREE),
    "storage/git/exclude_file.py": (1, GIT),
    "storage/git/filters.py": (1, GIT),
    "storage/git/program.py": (1, "what git said of an error"),
    "storage/hooks/exclude_lines.py": (1, GIT),
    "storage/hooks/installation.py": (2, "installed with us"),
    "storage/hooks/foreign_lines.py": (3, GIT),
    "storage/hooks/hook_slot.py": (3, GIT),
    "storage/hooks/hook_presence.py": (1, GIT),
    "operations/gates/land_tas.py": (1, GIT),
    "storage/git/places.py": (1, GIT),
    "storage/git/refs.py": (8, GIT),
    "storage/git/remotes/remote_names.py": (1, GIT),
    "storage/git/remotes/clone_state.py": (1, "refs and settings of git, and our notes"),
    "storage/documents/package_files.py": (1, "installed with us"),
    "operations/recall/spool.py": (1, "whose size was asked before"),
    "operations/checkpoint/unrecorded_commits.py": (1, OURS),
    "storage/ledger/devs_folder.py": (3, "our note, and the view that we wrote"),
}
_READS: Final = re.compile(
    r"sys\.stdin|\.read_bytes\(\)|\.read_text\(|\.readlines?\(\)|\.read\(\)|for \w+ in stream\b"
)


def test_a_new_reader_of_bytes_is_noticed() -> None:
    """Who reads to an end that somebody else chooses goes by `bounded`, or says in the table whose bytes these are."""
    found = {
        path.relative_to(PACKAGE).as_posix(): sum(
            bool(_READS.search(line)) and "bounded." not in line for line in path.read_text().splitlines()
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert {name: count for name, count in found.items() if count} == {
        name: count for name, (count, _whose) in WITHOUT_LIMIT.items()
    }
