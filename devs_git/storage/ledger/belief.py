"""The documents that the rule of belief needs, read once: policies, requests, decisions and their signatures.

A signature is verified with the key that it names. The rule of belief decides under each policy whether that key may
decide. So each pair of a statement and its signature takes one child, however many policies and files there are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from devs_git.domain.audit.ledger_shape import Step
from devs_git.domain.belief import DecisionRecord, Records, RequestRecord, layout
from devs_git.domain.gates import gate_model, signed_decision
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.gates.policy import PROPOSED, Policy, parse
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage.documents import signatures, yaml_documents
from devs_git.storage.ledger import gate_files, policy_file
from devs_git.values import field, mutable, replace


@mutable
class Documents:
    """The documents of a ledger whose root is `genesis`. `blobs` has their bytes by oid, `unreadable` the error of each bad one."""

    genesis: str
    blobs: Mapping[str, bytes]
    policies: dict[str, Policy] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    requests: dict[str, RequestRecord] = field(default_factory=dict)
    decisions: dict[tuple[str, str], DecisionRecord] = field(default_factory=dict)
    unreadable: dict[str, DevsError] = field(default_factory=dict)

    @property
    def records(self) -> Records:
        return Records(self.policies, self.requests, self.decisions)

    def read(self, steps: Sequence[Step]) -> None:
        """Read every policy, request and decision that an event brought."""
        changes = [change for step in steps for change in layout.first_edge(step) if change.new]
        for blob in {change.new for change in changes if change.path == IN_FORCE}:
            self._policy(blob)
        for change in changes:
            if change.path.endswith("/" + layout.REQUEST):
                self._request(layout.gate_of(change.path), change.new)
        brought = (files for step in steps for files in layout.decisions_of(step))
        # By its files only: a copy of a decision at another gate does not change the decision itself.
        wanted = {(files.decision, files.signature): files.gate_id for files in brought}
        self.decisions |= {files: self._decision(*files, gate_id) for files, gate_id in wanted.items()}
        self._verify()

    def _verify(self) -> None:
        """Find out who signed, once for each pair of a statement and its signature."""
        signed = {files: (one.said, files[1]) for files, one in self.decisions.items() if one.said}
        once = list(dict.fromkeys(signed.values()))
        # In parallel, because each signature takes one child.
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            found = dict(zip(once, pool.map(lambda one: self._signer(*one), once), strict=True))
        for files, what in signed.items():
            key, flaw, why = found[what]
            self.decisions[files] = replace(self.decisions[files], key=key, flaw=flaw, why=why)

    def _signer(self, statement: str, signature: str) -> tuple[str, str, str]:
        """The key that signed a statement, by the blob of its signature, then code and message; the key is '' if verification fails."""
        try:
            return signatures.key_of(statement.encode(), self.blobs[signature]), "", ""
        except DevsError as error:
            return "", error.code, error.message

    def _policy(self, blob: str) -> None:
        data = self.blobs.get(blob)
        if data is None:
            text = "The policy in force is missing from the object store."
            self.unreadable[blob] = DevsError("LEDGER_MISSING", text)
            return
        try:
            self.policies[blob] = parse(yaml_documents.load(data, IN_FORCE, "policy", code="POLICY_INVALID"))
        except DevsError as error:
            self.unreadable[blob] = error

    def _request(self, gate_id: str, blob: str) -> None:
        if blob in self.requests or blob in self.unreadable:
            return
        try:
            gate = gate_files.read(gate_id, blob, self.blobs.get(blob, b""), None)
        except DevsError as error:
            self.unreadable[blob] = error
            return
        self.gates[blob] = gate
        self.requests[blob] = RequestRecord(
            gate.text("gate_id"),
            gate.gate_type,
            gate.text("requested_by"),
            gate.text("policy_before"),
            self._proposed(gate),
            gate.text("after"),
        )

    def _proposed(self, gate: Gate) -> str:
        """The oid that a gate's proposed policy would have in the ledger; '' if it proposes none."""
        text = gate.text("proposed_policy")
        if gate.gate_type != gate_model.POLICY_CHANGE or not text:
            return ""
        try:
            record = yaml_documents.load(text.encode(), PROPOSED, "policy", code="POLICY_INVALID")
            blob = gate_model.blob_oid(policy_file.in_force(record))
            self.policies.setdefault(blob, parse(record))
        except DevsError:
            return ""
        return blob

    def _decision(self, blob: str, signature: str, gate_id: str) -> DecisionRecord:
        """Read a decision from the blobs of its two files. Its signature is not verified yet."""
        try:
            record = yaml_documents.load(
                self.blobs.get(blob, b""),
                gate_files.decision_path(gate_id),
                gate_files.DECISION_SCHEMA,
                code="LEDGER_MUTATED",
            )
        except DevsError as error:
            why = f"its decision does not count: {error.message}"
            damaged = gate_files.decision_path(gate_id)
            return DecisionRecord(gate_id, "", "", "", "", flaw="LEDGER_MUTATED", why=why, damaged=damaged)
        statement, flaw, why, damaged = "", "", "", ""
        gate = self.gates.get(record["request"])
        if gate and (wrong := gate_model.flaw_of(record, record["gate_id"], record["request"], gate.request)):
            flaw, why = wrong, f"its decision does not count: {wrong}"
        elif (record["approval"] == gate_model.SIGNED) != bool(signature):
            flaw, why = "BAD_SIGNATURE", "its decision and its signature do not match"
        elif signature and signature not in self.blobs:
            flaw, why = "LEDGER_MISSING", "its signature cannot be read"
            damaged = gate_files.signature_path(gate_id)
        elif signature:
            try:
                statement = signed_decision.of_record(record, self.genesis).canonical().decode()
            except DevsError as error:
                flaw, why = error.code, error.message
        who, what = record["reviewer_id"], record["decision"]
        return DecisionRecord(
            record["gate_id"],
            record["request"],
            what,
            who,
            record["approval"],
            "",
            flaw,
            why,
            damaged,
            statement,
        )


def documents_of(steps: Sequence[Step], blobs: Mapping[str, bytes], genesis: str = "") -> Documents:
    """All documents that these events brought. Signed statements contain the `genesis`."""
    roots = [step.event.oid for step in steps if not step.event.parents]
    found = Documents(genesis if genesis in roots else next(iter(roots), ""), blobs)
    found.read(steps)
    return found
