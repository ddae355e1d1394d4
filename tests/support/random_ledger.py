"""A random ledger of two clones, with forged and odd events among the honest ones."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from devs_git.domain.ledger.events import LEDGER, NO_OID, Event

TASKS = [f"task-{number}" for number in range(1, 6)]
PHASES = ("plan", "review")
CONTRACTS = ("one", "two")


def oid(kind: str, number: int) -> str:
    return f"{kind}{number:03x}".encode().hex().ljust(40, "0")


class Story:
    """A random ledger that grows in two clones, which meet now and then."""

    def __init__(self, seed: int, repository: Path) -> None:
        self.random = random.Random(seed)
        self.repository = repository
        self.events = self.tags = 0
        self.ops: list[str] = []
        self.commits, self.missing = self.make_commits(), oid("c", 1)
        self.commits.append(self.missing)
        self.tips = {"a": self.git("rev-parse", LEDGER), "b": self.git("rev-parse", LEDGER)}

    def git(self, *words: str, text: str = "") -> str:
        # A minute between two events: git lists them by their times.
        at = f"{978307200 + 60 * self.events} +0000"
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(
            ["git", *words],
            cwd=self.repository,
            env=os.environ | dates,
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def make_commits(self) -> list[str]:
        """A few commits that add, modify, delete and rename files, the same in each story."""
        script = ""
        # Pairs of a name and a content.
        for number, files in enumerate(("ax", "ax bx", "ax by cz", "by cz", "by dz", "bx dz", "dz"), start=1):
            script += f"commit refs/work\nmark :{number}\ncommitter Ada <ada@example.org> 978307200 +0000\ndata 5\nwork\n\n"
            script += "deleteall\n"
            for pair in files.split():
                script += f"M 100644 inline {pair[0]}\ndata 18\n" + f"{pair[1]}\n" * 9 + "\n"
            script += f"get-mark :{number}\n"
        # Nothing but the oids of the commits is kept.
        script += f"reset refs/work\nfrom {NO_OID}\n"
        return self.git("fast-import", "--quiet", text=script).split()

    def add(self, clone: str) -> None:
        """One event of the clone; sometimes a merge with what the other one wrote."""
        parents = [self.tips[clone]]
        other = self.tips["b" if clone == "a" else "a"]
        kind = "ledger.merged" if self.random.random() < 0.12 and other not in parents else ""
        if kind:
            parents.insert(0, other)
        event = Event(kind or self.kind(), "subject", ())
        message = Event(event.type, "subject", self.fields(event.type, clone)).message()
        words = [word for parent in parents for word in ("-p", parent)]
        self.tips[clone] = self.git("commit-tree", *words, f"{LEDGER}^{{tree}}", text=message)

    def kind(self) -> str:
        kinds = ["checkpoint.created"] * 5 + ["task.started", "task.completed"] * 2
        rare = ["rewound", "undone", "dropped", "task.result", "task.abandoned", "phase.changed"]
        rare += ["contract.started", "checkpoints.rewritten", "history.rewritten", "superseded"]
        return self.random.choice(kinds + rare)

    def fields(self, kind: str, clone: str) -> tuple[tuple[str, str], ...]:
        self.events += 1
        choice, chance = self.random.choice, self.random.random
        task = choice(TASKS)
        found = [("Devs-Finished", f"2001-01-01T00:00:{self.events:02d}Z")]
        if chance() < 0.8 or kind.startswith("task"):
            found.append(("Devs-Task", task))
        if kind in ("checkpoint.created", "task.completed"):
            self.tags += 1
            number = self.tags if chance() < 0.95 else max(1, self.tags - 1)
            found += [("Devs-Task", task)] if found[-1][0] != "Devs-Task" else []
            found += [
                ("Devs-Number", str(self.tags)),
                ("Devs-Tag", oid("t", number)),
                ("Devs-Commit", self.random.choice(self.commits)),
            ]
        if kind in ("task.started", "phase.changed", "contract.started"):
            found += [("Devs-Contract", choice(CONTRACTS)), ("Devs-Phase", choice(PHASES))]
            found += [("Devs-Parent", choice(TASKS))] if chance() < 0.4 else []
        if kind in ("rewound", "undone", "dropped"):
            self.ops.append(f"op-{self.events}")
            found += [("Devs-Op", self.ops[-1]), ("Devs-Clone", clone), ("Devs-Branch", "refs/heads/main")]
            found += [("Devs-Undoes", choice(self.ops))] if kind == "undone" else []
        if chance() < 0.4 and self.tags:
            some = [oid("t", self.random.randint(1, self.tags + 1)) for _ in range(2)]
            found.append((choice(["Devs-Undone", "Devs-Revived", "Devs-Undone", "Devs-Gone"]), some[0]))
            found += [("Devs-Status", f"{choice(TASKS)} {choice(['rewound', 'active', 'completed'])}")]
            if chance() < 0.3:
                found.append(("Devs-Renumbered", f"{some[1]} {100 + self.events}"))
        if kind.endswith("rewritten") and self.tags:
            self.tags += 1
            old = oid("t", self.random.randint(1, self.tags))
            found.append(
                ("Devs-Moved", f"{old} {oid('t', self.tags)} {self.tags} {oid('m', self.tags)} {oid('f', 1)}")
            )
        if chance() < 0.05:
            found.append(("Devs-Outcome", "failed"))
        return tuple(found)

    def show(self, clone: str) -> None:
        """The clone's ledger is the repository's."""
        self.git("update-ref", LEDGER, self.tips[clone])
