"""Write an abstract ledger as a real one: commits by one `git fast-import`, real documents, real keys and signatures.

All events of a ledger are in one bare repository. Tests move its `refs/heads/devs/ledger` and use it as a remote without our
hook.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from devs_git.domain.gates import gate_model, signed_decision
from devs_git.domain.gates import policy as policies
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import policy_file
from tests.support.belief.abstract_ledger import (
    POLICY_CHANGE,
    REJECTED,
    SIGNED,
    Decision,
    Ledger,
    Person,
    Plain,
    Policy,
    Request,
    Signature,
    Statement,
)
from tests.support.belief.steps import kind
from tests.support.belief.world import BOTS_KEY, KEYS, STRANGERS_KEY
from tests.support.gate_scene import make_key

NO_OID = "0" * 40
SECOND = "2001-02-03T04:05:06.000Z"


class Keyring:
    """A key pair for each name of a key."""

    def __init__(self, folder: Path) -> None:
        names = (*KEYS, STRANGERS_KEY, BOTS_KEY)
        self.keys = {name: make_key(folder, name.replace(" ", "-")) for name in names}
        self.public = cache(lambda name: self.keys[name].public)

    def sign(self, wanted: Mapping[str, list[bytes]], folder: Path) -> dict[tuple[str, bytes], bytes]:
        """The signatures of these messages by the keys with these names. Each key needs one run of ssh-keygen."""
        found = {}
        for name, messages in wanted.items():
            files = [folder / f"{name.replace(' ', '-')}-{at}" for at in range(len(messages))]
            for file, message in zip(files, messages, strict=True):
                file.write_bytes(message)
            words = (
                "ssh-keygen",
                "-q",
                "-Y",
                "sign",
                "-f",
                self.keys[name].path,
                "-n",
                signed_decision.NAMESPACE,
            )
            subprocess.run([*words, *files], check=True, capture_output=True)
            for file, message in zip(files, messages, strict=True):
                found[name, message] = file.with_name(file.name + ".sig").read_bytes()
        return found


def gate_id(name: str) -> str:
    """The id of the gate with this short name, such as `g12`."""
    return f"{int(name[1:]):08x}-0000-4000-8000-000000000000"


class Written:
    """A ledger in the bare repository `store`: `oids` of its events, `blobs` of its contents."""

    def __init__(self, ledger: Ledger, keyring: Keyring, folder: Path) -> None:
        self.ledger, self.keyring, self.folder = ledger, keyring, folder
        self.store = folder / "origin.git"
        self.data: dict[str, bytes] = {"marker": b"MANUAL\n"}
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.store], check=True)
        first = next(iter(ledger.events.values()))
        self.oids: dict[str, str] = {}
        self._contents(Plain)
        self.add(first.name)
        for what in (Policy, Request, Decision):
            self._contents(what)
        self._signatures()
        self.add(*list(ledger.events)[1:])

    def blob(self, name: str) -> str:
        """The oid of a content; '' for none."""
        return gate_model.blob_oid(self.data[name]) if name else ""

    # Contents.

    def _contents(self, what: type) -> None:
        found = {name: one for name, one in self.ledger.what.items() if isinstance(one, what)}
        self.data |= {name: self._bytes(one) for name, one in found.items()}

    def _bytes(self, one: Any) -> bytes:
        if isinstance(one, Plain):
            return f"{one.words}\n".encode()
        if isinstance(one, Policy):
            return policy_file.in_force(self.record(one))
        return (
            self._request(one)
            if isinstance(one, Request)
            else yaml_documents.dump(self._said(one), "decision")
        )

    def record(self, one: Policy) -> dict[str, Any]:
        """The policy as a record that can be written as YAML."""

        def rows(people: tuple[Person, ...]) -> list[dict[str, str]]:
            keyed = [(row.principal, self.keyring.public(row.key) if row.key else "") for row in people]
            return [{"principal": name, **({"key": key} if key else {})} for name, key in keyed]

        record = {
            **policies.first(self.oids["e0"]),
            "approvers": rows(one.approvers),
            "agents": rows(one.agents),
            "approval": {"minimum": one.minimum},
        }
        return record | ({"notify": one.notify} if one.notify else {})

    def _request(self, one: Request) -> bytes:
        record: dict[str, Any] = {
            "gate_id": gate_id(one.gate),
            "gate_type": one.kind,
            "agent_id": None,
            "task_id": None,
            "blocker_description": f"This is the question number {one.words}.",
            "created_at": SECOND,
            "branch": None,
            "git_head": None,
            "heads": {},
        }
        if one.kind == POLICY_CHANGE:
            record["policy_before"] = self.blob(one.before) or None
            if one.proposes:
                record["proposed_policy"] = self.data[one.proposes].decode()
        if one.requested_by:
            record["requested_by"] = one.requested_by
        return yaml_documents.dump(record, "gate-request")

    def _said(self, one: Decision) -> dict[str, Any]:
        return {
            "gate_id": gate_id(one.gate),
            "decision": one.decision,
            "resolution_reason": "No." if one.decision == REJECTED else None,
            "reviewer_id": one.reviewer,
            "resolved_at": SECOND.replace("000Z", f"{one.spelling:03}Z"),
            "approval": one.approval,
            "request": self.blob(one.request) or NO_OID,
            "tas_before": None,
            "tas_after": None,
            "nonce": f"{one.nonce:032x}",
        }

    def _statement(self, name: str) -> bytes:
        one = self.ledger.what[name]
        if not isinstance(one, Statement):
            return self.data[name]
        said = Decision(one.gate, one.request, one.decision, "", SIGNED, one.nonce)
        return signed_decision.of_record(self._said(said), self.oids["e0"]).canonical()

    def _signatures(self) -> None:
        used = {content for event in self.ledger.events.values() for content in event.tree.values()}
        rows = {name: one for name, one in self.ledger.what.items() if isinstance(one, Signature)}
        wanted: dict[str, list[bytes]] = {}
        for name, one in rows.items():
            if name in used:
                wanted.setdefault(one.key, []).append(self._statement(one.over))
        made = self.keyring.sign(wanted, self.folder)
        for name, one in rows.items():
            made_of = made.get((one.key, self._statement(one.over)), b"unused\n")
            self.data[name] = made_of + b"\n" * one.spelling

    # Commits.

    def add(self, *names: str) -> None:
        """Write these events. Their parents are among them, or are written already."""
        marks = self.folder / "marks"
        stream = b"".join(self._stream(names))
        words = ("git", "fast-import", "--quiet", "--force", f"--export-marks={marks}")
        subprocess.run(words, cwd=self.store, input=stream, check=True)
        for line in marks.read_text().splitlines():
            mark, _, oid = line.partition(" ")
            if int(mark[1:]) <= len(names):
                self.oids[names[int(mark[1:]) - 1]] = oid

    def _stream(self, names: tuple[str, ...]) -> Iterator[bytes]:
        known = {content for name in names for content in self.ledger.tree(name).values()}
        blobs = {content: len(names) + at for at, content in enumerate(sorted(known), 1)}
        for content, mark in blobs.items():
            data = self.data[content]
            yield b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(data), data)
        marks = {name: at for at, name in enumerate(names, 1)}
        for name in names:
            event, ref = self.ledger.events[name], f"refs/events/{name}"
            text = f"{name}: {event.title}\n\nDevs-Event: {kind(self.ledger, name)}\n".encode()
            yield f"commit {ref}\nmark :{marks[name]}\ncommitter A <a@b.c> 981173106 +0000\n".encode()
            yield b"data %d\n%s" % (len(text), text)
            for at, parent in enumerate(event.parents):
                where = f":{marks[parent]}" if parent in marks else self.oids[parent]
                yield f"{'merge' if at else 'from'} {where}\n".encode()
            yield b"deleteall\n"
            for path, content in event.tree.items():
                yield f"M 100644 :{blobs[content]} {self.path(path)}\n".encode()
            yield b"\n"

    def path(self, path: str) -> str:
        """The real path of a path of the abstract tree."""
        folder, _, rest = path.partition("/")
        if folder == "superseded":
            name = rest.removesuffix(".sig")
            return f"superseded/{self.blob(name)}{rest.removeprefix(name)}"
        first, slash, last = rest.partition("/")
        return f"{folder}/{gate_id(first)}{slash}{last}" if folder in ("gates", "open") else path

    def tree(self, expected: Mapping[str, str]) -> dict[str, str]:
        """An abstract tree with real paths and blobs. Of a marker, only the path counts."""
        rows = {self.path(path): (path, content) for path, content in expected.items()}
        return {
            where: "" if path.startswith("open/") else self.blob(name) for where, (path, name) in rows.items()
        }
