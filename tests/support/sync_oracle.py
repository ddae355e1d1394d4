"""An independent account of the rewinds of several clones: what is live in which clone, and which tag is on a remote.

It knows nothing of our code. It reads the events as text, and asks git for branches and for what they reach; what a
clone has seen of a remote it writes down itself, when the clone fetches, pulls, pushes or syncs. The rule:

- A rewind speaks for the clone that made it, and there for the branch that it moved.
- The clone that rewound sees the checkpoint again once that branch has its commit; until then it is `rewound here,
  still on <remote>/<branch>` while a remote's branch has it, as far as this clone has seen.
- Any other clone sees it as long as one of its branches has the commit, or a remote's branch, as far as it has seen.
- A remote's visible tag stands while a branch of that remote has the commit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LEDGER = "refs/heads/devs/ledger"
Event = dict[str, list[str]]


def git(top: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=top, check=True, capture_output=True, text=True).stdout.strip()


def branches(top: Path, folder: str = "refs/heads/") -> dict[str, str]:
    """A repository's branches (or the refs below another folder) and their commits, without ours."""
    rows = (
        line.split()
        for line in git(top, "for-each-ref", "--format=%(refname) %(objectname)", folder).splitlines()
    )
    found = {name.removeprefix(folder): oid for name, oid in rows}
    return {name: oid for name, oid in found.items() if not name.startswith(("devs/", "snapshot/"))}


def events(top: Path) -> Iterator[Event]:
    """The ledger's events, oldest first, each clone's in the order in which it wrote them."""
    for text in git(top, "log", "--topo-order", "--reverse", "--format=%B%x00", LEDGER).split("\0"):
        found: Event = {}
        for line in text.splitlines():
            key, colon, value = line.partition(": ")
            if colon and key.startswith("Devs-"):
                found.setdefault(key, []).append(value)
        yield found


@dataclass
class Claims:
    """What the events of one ledger say: commits and tasks by tag, and which clone took a tag from which branch."""

    commits: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    taken: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def doubtful(self) -> list[str]:
        """The commits of which a clone said that it went back before them."""
        return [commit for tag, commit in self.commits.items() if self.taken.get(tag)]

    @classmethod
    def of(cls, top: Path) -> Claims:
        found = cls()
        for event in events(top):
            kind = event.get("Devs-Event", [""])[0]
            if kind == "task.completed":
                tag = event["Devs-Tag"][0]
                found.commits[tag], found.tasks[tag] = event["Devs-Commit"][0], event["Devs-Task"][0]
            if kind in {"rewound", "undone"}:
                clone, branch = event["Devs-Clone"][0], event["Devs-Branch"][0]
                for tag in event.get("Devs-Undone", ()):
                    found.taken.setdefault(tag, {})[clone] = branch
                for tag in event.get("Devs-Revived", ()):
                    found.taken.get(tag, {}).pop(clone, None)
        return found


@dataclass
class Remotes:
    """What one clone has seen of the remotes' branches, as `origin/main` and the commit.

    `shown` is what git itself was told last, by a fetch, a pull or a push; `looked` the branches that `sync` kept
    since: those with the commit of a checkpoint that is known to be rewound by then, and that git was not shown there.
    """

    shown: dict[str, str] = field(default_factory=dict)
    looked: dict[str, str] = field(default_factory=dict)

    def git_saw(self, remote: str, now: dict[str, str]) -> None:
        for name, oid in ((f"{remote}/{branch}", oid) for branch, oid in now.items()):
            if self.shown.get(name) != oid:
                self.looked.pop(name, None)
            self.shown[name] = oid

    def all(self) -> list[tuple[str, str]]:
        return sorted({*self.shown.items(), *self.looked.items()})


@dataclass
class Oracle:
    """`every`: a repository that has every commit of all of them, in which reachability is asked."""

    every: Path
    known: dict[Path, Remotes] = field(default_factory=dict)
    reach: dict[tuple[str, str], bool] = field(default_factory=dict)

    def of(self, top: Path) -> Remotes:
        return self.known.setdefault(top, Remotes())

    def sync_saw(self, top: Path, remote: str, now: dict[str, str], claims: Claims) -> None:
        seen = self.of(top)
        for name, oid in ((f"{remote}/{branch}", oid) for branch, oid in now.items()):
            news = [c for c in claims.doubtful if self.has(oid, c)]
            if any(not (name in seen.shown and self.has(seen.shown[name], commit)) for commit in news):
                seen.looked[name] = oid
            else:
                seen.looked.pop(name, None)

    def has(self, tip: str, commit: str) -> bool:
        if (tip, commit) not in self.reach:
            words = ["git", "merge-base", "--is-ancestor", commit, tip]
            done = subprocess.run(words, cwd=self.every, check=False, capture_output=True, text=True)
            assert done.returncode < 2, done.stderr
            self.reach[tip, commit] = not done.returncode
        return self.reach[tip, commit]

    def state(self, top: Path, claims: Claims, tag: str) -> str:
        """How the clone at `top` is to see one completion."""
        clone = (top / ".git/devs/clone").read_text().strip() if (top / ".git/devs/clone").exists() else ""
        commit, taken = claims.commits[tag], claims.taken.get(tag, {})
        own = branches(top)
        there = [name for name, tip in self.of(top).all() if self.has(tip, commit)]
        if not taken:
            return "completed"
        if clone in taken:
            tip = own.get(taken[clone].removeprefix("refs/heads/"), "")
            back = bool(tip) and self.has(tip, commit)
            return "completed" if back else f"rewound here, still on {there[0]}" if there else "rewound"
        return "completed" if there or any(self.has(tip, commit) for tip in own.values()) else "rewound"

    def tags_of(self, remote: Path, claims: Claims) -> set[str]:
        """The tasks whose visible tag is to stand on a remote, after a sync with it."""
        return {claims.tasks[tag] for tag in claims.commits if self.stands(remote, claims, tag)}

    def stands(self, remote: Path, claims: Claims, tag: str) -> bool:
        """Whether a remote's visible tag is to name this completion, after a sync with it."""
        tips, commit = branches(remote).values(), claims.commits[tag]
        return not claims.taken.get(tag) or any(self.has(tip, commit) for tip in tips)
