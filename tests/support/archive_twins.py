"""Two copies of one repository in which the same is done. One of them archives its old checkpoints now and then.

Whatever devs-git prints, both must print the same, but for the oids of what is new: `Devs-Ledger` of a commit names the
ledger's tip, and only one of the two ledgers has events of archives. So the oids of both must correspond one to one.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from devs_git.__main__ import main
from devs_git.domain.checkpoints.wanted_refs import NUMBERED
from devs_git.domain.text.times import stamp
from devs_git.storage.ledger.archived import archives
from devs_git.storage.ledger.index import NAME
from devs_git.workspace import CLOCK, Workspace
from tests.support import git_calls, repository_copy
from tests.support.scene import contents

_OID = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,40}(?![0-9a-zA-Z])")
_CHECKPOINTS = ("refs/devs/checkpoints", "refs/tags/devs")
_ARCHIVES = ("checkpoints.archived", "checkpoints.unarchived")


def collect(top: Path) -> None:
    """git deletes each object that no ref keeps."""
    git_calls.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all", where=top)
    git_calls.git("gc", "-q", "--prune=now", where=top)


class Twins:
    """`plain` and `thin`, the copy that archives. With `indexed`, both use an index from the beginning."""

    def __init__(self, plain: Path, monkeypatch: pytest.MonkeyPatch, *, indexed: bool = False) -> None:
        self.plain, self.thin = plain, plain.with_name("thin")
        repository_copy.folder(self.plain, self.thin)
        git_calls.git("update-index", "-q", "--refresh", where=self.thin)
        self._monkeypatch, self._indexed = monkeypatch, indexed
        self._now = datetime(2030, 1, 1, tzinfo=UTC)
        self._same: tuple[dict[str, str], dict[str, str]] = ({}, {})
        # The answers that were compared: the first word of each command, or the code of its refusal.
        self.answers: dict[str, int] = {}

    # What both do.

    def write(self, files: Mapping[str, str | None]) -> None:
        for top in (self.plain, self.thin):
            for name, text in files.items():
                if text is None:
                    (top / name).unlink()
                else:
                    (top / name).write_text(text)

    def git(self, *words: str, ok: tuple[int, ...] = (0,)) -> str:
        """git in both; what it printed in `plain`."""
        self._tick()
        said = [git_calls.git(*words, where=top, ok=ok) for top in (self.plain, self.thin)]
        return said[0]

    def verb(self, *words: str) -> Any:
        """A command in both, with what it prints; the answer of `plain`."""
        self._tick()
        one, two = (self._run(top, *words, "--json") for top in (self.plain, self.thin))
        self._compare(f"{words}", one, two)
        code = one[1].get("error", "") if isinstance(one[1], dict) else ""
        key = str(code or words[0])
        self.answers[key] = self.answers.get(key, 0) + 1
        return one[1]

    def archive(self, *options: str) -> Any:
        """An archive in `thin` alone. In both, git then deletes what no ref keeps, such as the commits of before a squash."""
        self._tick()
        status, answer, _ = self._run(self.thin, "archive", "--older-than", "0s", *options, "--json")
        assert status == 0, answer
        for top in (self.plain, self.thin):
            collect(top)
        return answer

    # How they are compared.

    def compare(self) -> None:
        """Branches, index, files, tasks, and checkpoints are the same, and so are the refs that both ledgers want."""
        one, two = self._state(self.plain), self._state(self.thin)
        for key in one:
            self._compare(key, one[key], two[key])

    def take_back(self) -> None:
        """All refs come back, and no other."""
        self._tick()
        status, answer, _ = self._run(self.thin, "archive", "--undo", "--json")
        assert status == 0, answer
        self._compare("refs", *(self._refs(top) for top in (self.plain, self.thin)))
        git_calls.git("fsck", "--no-dangling", "--no-progress", where=self.thin)

    def _tick(self) -> None:
        self._now += timedelta(minutes=1)
        at = stamp(self._now)
        for name in (CLOCK, "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self._monkeypatch.setenv(name, at)

    def _run(self, top: Path, *words: str) -> tuple[int, Any, str]:
        if self._indexed:
            (top / ".git" / NAME).touch()
        self._monkeypatch.chdir(top)
        self._monkeypatch.setattr(sys, "argv", ["devs-git", *words])
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = main()
            except SystemExit as end:
                status = int(end.code or 0)
        text = output.getvalue()
        return status, self._readable(text), errors.getvalue()

    def _readable(self, text: str) -> Any:
        try:
            answer = json.loads(text)
        except ValueError:
            return text
        if isinstance(answer, dict) and isinstance(answer.get("events"), list):
            answer["events"] = [
                one for one in answer["events"] if one.get("event_data", {}).get("event") not in _ARCHIVES
            ]
        # A task that was given up is named only until the next event.
        if isinstance(answer, dict) and "abandoned" in answer:
            answer["abandoned"] = ""
        # The ledger's tip, which is another one after an archive, and then the same tip is not named twice.
        for one in answer.get("trailers", ()) if isinstance(answer, dict) else ():
            one["value"] = "" if one["key"] == "Devs-Ledger" else one["value"]
        return answer

    def _state(self, top: Path) -> dict[str, Any]:
        opened = Workspace.open(top)
        history = opened.ledger.tip().here
        wanted = self._refs(top)
        for (ref, tag), entry in archives.here(opened.store_git).items():
            assert opened.objects.exists(entry.commit)
            # What an undo brought back may be in the archive, too; and an undone one has no visible tag any more.
            if ref.startswith(NUMBERED):
                wanted.setdefault(ref, tag)
        return {
            "branches": git_calls.git("for-each-ref", "refs/heads", "refs/stash", where=top)
            .replace(git_calls.git("rev-parse", "refs/heads/devs/ledger", where=top), "")
            .splitlines(),
            "head": git_calls.git("rev-parse", "--symbolic-full-name", "HEAD", where=top),
            "index": git_calls.git("ls-files", "-s", where=top).splitlines(),
            "files": {name: repr(content) for name, content in sorted(contents(top).items())},
            "tasks": {name: repr(task) for name, task in history.tasks.items()},
            "checkpoints": [repr(point) for point in history.checkpoints.values()],
            "live": [point.name for point in history.live()],
            "numbered": sorted(ref for ref in wanted if ref.startswith(NUMBERED)),
            "refs": [wanted[ref] for ref in sorted(wanted) if ref.startswith(NUMBERED)],
        }

    def _refs(self, top: Path) -> dict[str, str]:
        rows = git_calls.git("for-each-ref", "--format=%(refname) %(objectname)", *_CHECKPOINTS, where=top)
        return dict(row.split(" ") for row in rows.splitlines() if "/archive/" not in row)

    def _compare(self, what: str, one: Any, two: Any) -> None:
        """The values are the same, but for oids, and each oid of the one stands for one oid of the other."""
        ours, theirs = (list(_flat(value)) for value in (one, two))
        assert [path for path, _ in ours] == [path for path, _ in theirs], what
        for (path, mine), (_, other) in zip(ours, theirs, strict=True):
            assert _OID.sub("*", mine) == _OID.sub("*", other), (what, path, mine, other)
            for a, b in zip(_OID.findall(mine), _OID.findall(other), strict=True):
                assert len(a) == len(b), (what, path, mine, other)
                assert self._same[0].setdefault(a, b) == b, (what, path, mine, other)
                assert self._same[1].setdefault(b, a) == a, (what, path, mine, other)


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _flat(one, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        yield f"{path}#", str(len(value))
        for one in value:
            yield from _flat(one, f"{path}[]")
    else:
        yield path, str(value)
