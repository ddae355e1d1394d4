"""The expected result of rewinds in several clones: which checkpoint is live in which clone, and which tag a remote has.

It uses none of our code. It reads the events as text, and asks git for branches and for the commits that they reach. It
records itself what a clone saw of a remote at each fetch, pull, push and sync. The rule:

- A rewind is about one branch of the clone that made it.
- For that clone the checkpoint is live again as soon as this branch has its commit. Until then the clone shows `rewound
  here, still on <remote>/<branch>`, if it saw the commit on a remote's branch.
- For any other clone the checkpoint is live if one of its own branches has the commit, or if the clone saw the commit on
  a remote's branch.
- A remote has the visible tag as long as one of its branches has the commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.git_calls import attempt, git

LEDGER = "refs/heads/devs/ledger"
Event = dict[str, list[str]]


def branches(top: Path, folder: str = "refs/heads/") -> dict[str, str]:
    """The branches of a repository, or its refs below another folder, with their commits; those of devs-git are left out."""
    rows = (
        line.split()
        for line in git("for-each-ref", "--format=%(refname) %(objectname)", folder, where=top).splitlines()
    )
    found = {name.removeprefix(folder): oid for name, oid in rows}
    return {name: oid for name, oid in found.items() if not name.startswith(("devs/", "snapshot/"))}


def events(top: Path) -> Iterator[Event]:
    """The events of the ledger: trailers by key. Older events come first; those of one clone are in the order of writing."""
    for text in git("log", "--topo-order", "--reverse", "--format=%B%x00", LEDGER, where=top).split("\0"):
        found: Event = {}
        for line in text.splitlines():
            key, colon, value = line.partition(": ")
            if colon and key.startswith("Devs-"):
                found.setdefault(key, []).append(value)
        yield found


@dataclass
class LedgerFacts:
    """What the events of one ledger say: by tag, the commit and the task of each completion, and which clone rewound it on
    which branch.
    """

    commits: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    rewound_from: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def rewound_commits(self) -> list[str]:
        """The commits of completions that some clone has rewound."""
        return [commit for tag, commit in self.commits.items() if self.rewound_from.get(tag)]

    @classmethod
    def of(cls, top: Path) -> LedgerFacts:
        found = cls()
        for event in events(top):
            kind = event.get("Devs-Event", [""])[0]
            if kind == "task.completed":
                tag = event["Devs-Tag"][0]
                found.commits[tag], found.tasks[tag] = event["Devs-Commit"][0], event["Devs-Task"][0]
            if kind in {"rewound", "undone"}:
                clone, branch = event["Devs-Clone"][0], event["Devs-Branch"][0]
                for tag in event.get("Devs-Undone", ()):
                    found.rewound_from.setdefault(tag, {})[clone] = branch
                for tag in event.get("Devs-Revived", ()):
                    found.rewound_from.get(tag, {}).pop(clone, None)
        return found


@dataclass
class SeenBranches:
    """What one clone saw of the remotes' branches: the commit by name, such as `origin/main`.

    `fetched` is from git's last fetch, pull or push. `kept_by_sync` are branches that `sync` saw later. It keeps a branch
    if this has the commit of a rewound checkpoint, and if git had not fetched that commit with this branch.
    """

    fetched: dict[str, str] = field(default_factory=dict)
    kept_by_sync: dict[str, str] = field(default_factory=dict)

    def record_fetch(self, remote: str, now: dict[str, str]) -> None:
        for name, oid in ((f"{remote}/{branch}", oid) for branch, oid in now.items()):
            if self.fetched.get(name) != oid:
                self.kept_by_sync.pop(name, None)
            self.fetched[name] = oid

    def all(self) -> list[tuple[str, str]]:
        return sorted({*self.fetched.items(), *self.kept_by_sync.items()})


@dataclass
class Oracle:
    """`all_commits` is a repository that has the commits of all clones and remotes."""

    all_commits: Path
    seen: dict[Path, SeenBranches] = field(default_factory=dict)
    reached: dict[tuple[str, str], bool] = field(default_factory=dict)

    def branches_seen_by(self, top: Path) -> SeenBranches:
        return self.seen.setdefault(top, SeenBranches())

    def record_sync(self, top: Path, remote: str, now: dict[str, str], facts: LedgerFacts) -> None:
        seen = self.branches_seen_by(top)
        for name, oid in ((f"{remote}/{branch}", oid) for branch, oid in now.items()):
            rewound = [commit for commit in facts.rewound_commits if self.reaches(oid, commit)]
            fetched = seen.fetched.get(name, "")
            if any(not (fetched and self.reaches(fetched, commit)) for commit in rewound):
                seen.kept_by_sync[name] = oid
            else:
                seen.kept_by_sync.pop(name, None)

    def reaches(self, tip: str, commit: str) -> bool:
        """Whether the commit is the tip or an ancestor of it."""
        if (tip, commit) not in self.reached:
            status, output = attempt("merge-base", "--is-ancestor", commit, tip, where=self.all_commits)
            assert status < 2, output
            self.reached[tip, commit] = not status
        return self.reached[tip, commit]

    def expected_state(self, top: Path, facts: LedgerFacts, tag: str) -> str:
        """The state that the clone at `top` must show for one completion."""
        clone = (top / ".git/devs/clone").read_text().strip() if (top / ".git/devs/clone").exists() else ""
        commit, rewound_from = facts.commits[tag], facts.rewound_from.get(tag, {})
        own = branches(top)
        remote = [name for name, tip in self.branches_seen_by(top).all() if self.reaches(tip, commit)]
        if not rewound_from:
            return "completed"
        if clone in rewound_from:
            tip = own.get(rewound_from[clone].removeprefix("refs/heads/"), "")
            if tip and self.reaches(tip, commit):
                return "completed"
            return f"rewound here, still on {remote[0]}" if remote else "rewound"
        return "completed" if remote or any(self.reaches(tip, commit) for tip in own.values()) else "rewound"

    def expected_tasks(self, remote: Path, facts: LedgerFacts) -> set[str]:
        """The tasks whose visible tag a remote must have after a sync."""
        return {facts.tasks[tag] for tag in facts.commits if self.expects_tag(remote, facts, tag)}

    def expects_tag(self, remote: Path, facts: LedgerFacts, tag: str) -> bool:
        """Whether a remote must have the visible tag of this completion after a sync."""
        tips, commit = branches(remote).values(), facts.commits[tag]
        return not facts.rewound_from.get(tag) or any(self.reaches(tip, commit) for tip in tips)
