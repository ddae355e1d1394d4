"""The documents, for `verify`: every YAML file of the ledger matches its schema, every kind of record has a schema with its
required fields, and the tracked policy is valid here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from devs_git.domain.audit import ledger_shape, record_schemas
from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.gates import gate_model
from devs_git.domain.gates.policy import FIRST, PROPOSED, parse
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.documents import schemas, tas_file, yaml_documents
from devs_git.storage.git import bounded
from devs_git.storage.ledger import gate_files, policy_file
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.storage.ledger.store import Tip

_PROPOSE: Final = "Propose it: devs-git gate request --type POLICY_CHANGE --blocker …"
_REINSTALL: Final = "This is a fault of devs-git as it is installed: install it again."


def documents(facts: Facts) -> Iterator[Finding]:
    """Every version of every YAML file in the ledger matches its schema; the schemas themselves are complete."""
    yield from own_schema_findings()
    files: dict[tuple[str, str], str] = {}
    for step in facts.new_steps:
        for change in (change for edge in step.edges for change in edge):
            if change.new and change.path.endswith(".yaml") and not change.path.startswith("superseded/"):
                files.setdefault((change.path, change.new), step.event.oid)
    for done, ((path, oid), event) in enumerate(files.items()):
        facts.progress("checking records", done, len(files))
        yield from _document(path, facts.files.get(oid), event)


def _document(path: str, data: bytes | None, event: str) -> Iterator[Finding]:
    code = "POLICY_INVALID" if path == IN_FORCE else "LEDGER_MUTATED"
    name = ledger_shape.legible(path)
    show = f"See: git show {event[:12]}:{name}"
    noun = record_schemas.noun_of(path)
    if data is None or not noun:
        what = "is not a record of devs-git" if data else "is missing from the object store"
        yield Finding(code, "error", f"{name} {what}.", show, event, 0, IN_LEDGER + path)
        return
    try:
        if noun == record_schemas.REQUEST:
            noun = gate_files.schema_of(str(yaml_documents.load(data, name, code=code).get("gate_type")))
        yaml_documents.load(data, name, noun, code=code)
    except DevsError as error:
        yield Finding(
            error.code,
            "error",
            error.message,
            show,
            event,
            error.details.get("line", 0),
            IN_LEDGER + path,
        )


def own_schema_findings() -> Iterator[Finding]:
    """Every kind of record has a schema that can be checked and that requires its fields."""
    for noun, fields in record_schemas.REQUIRED.items():
        try:
            rule = schemas.schema(noun)
        except (OSError, ValueError):
            yield _ours(noun, "cannot be read")
            continue
        if rule.get("$id") != schemas.url(noun) or rule.get("additionalProperties") is not False:
            yield _ours(noun, "has another $id, or allows unknown fields")
        for field in fields:
            if field not in rule.get("required", ()) or field not in rule.get("properties", {}):
                yield _ours(noun, f"does not require {field}")
        for word in sorted(set(_keywords(rule)) - schemas.KEYWORDS):
            yield _ours(noun, f"uses {word}, which nothing checks")


def _keywords(rule: Mapping[str, Any]) -> Iterator[str]:
    yield from rule
    below = (*rule.get("properties", {}).values(), rule.get("items"), rule.get("additionalProperties"))
    for part in below:
        if isinstance(part, dict):
            yield from _keywords(part)


def _ours(noun: str, what: str) -> Finding:
    name = f"schemas/{schemas.file_name(noun)}"
    return Finding("SCHEMA_INVALID", "error", f"{name} {what}.", _REINSTALL, file=name)


def policy(facts: Facts) -> Iterator[Finding]:
    """The tracked policy is valid here, and it is in force or requested; the policy in force can be read."""
    oid = facts.belief.policy_blob(facts.tip)
    unread = facts.documents.unreadable.get(oid)
    if unread:
        yield _wrong(unread, IN_LEDGER + IN_FORCE)
    elif oid:
        for error in policy_file.contradictions(facts.judgement.policy_at(facts.tip), IN_FORCE):
            yield _wrong(error, IN_LEDGER + IN_FORCE)
    blob = tas_file.blob(facts.git, facts.head, PROPOSED)
    if blob:
        try:
            with policy_file.telling_place(facts.git, facts.head):
                data = bounded.blob(facts.git, blob, limits.DOCUMENT, PROPOSED, "POLICY_INVALID")
        except DevsError as error:
            yield _wrong(error, PROPOSED)
        else:
            yield from _tracked_policy_findings(facts, data)
    elif facts.head:
        text = f"{PROPOSED} is not tracked: a clone cannot tell this ledger from another."
        yield _warning(text, f"devs-git init && git add {PROPOSED} && git commit")


def _tracked_policy_findings(facts: Facts, data: bytes) -> Iterator[Finding]:
    roots = [step.event.oid for step in facts.steps if not step.event.parents]
    root = roots[0] if len(roots) == 1 else ""
    try:
        with policy_file.telling_place(facts.git, facts.head):
            record = policy_file.check(data, PROPOSED, Tip(facts.ledger, facts.tip), root)
    except DevsError as error:
        yield _wrong(error, PROPOSED)
        return
    begun = next(iter(facts.belief.chain(facts.tip)), "")
    named = record.get(FIRST, "")
    if named not in ("", begun) or (facts.first_policy and named != facts.first_policy):
        text = f"{PROPOSED} names another first policy than that of this ledger, which is {begun}."
        yield Finding(
            "LEDGER_FORK",
            "error",
            text,
            f"Write this line again: {FIRST}: {facts.first_policy or begun}",
            "",
            0,
            PROPOSED,
        )
    elif not named and begun:
        yield _warning(f"{PROPOSED} does not name the first policy.", f"Add the line: {FIRST}: {begun}")
    oid = facts.belief.policy_blob(facts.tip)
    if oid in facts.documents.unreadable:  # reported already
        return
    if oid and parse(record) == facts.judgement.policy_at(facts.tip):
        return
    proposals = [
        gate for gate in facts.judgement.gates.values() if gate.text("proposed_policy").encode() == data
    ]
    asked = [gate.gate_id for gate in proposals if gate.status == gate_model.PENDING]
    text = f"{PROPOSED} is not the policy in force"
    if asked:
        yield _warning(
            f"{text}: gate {asked[0]} waits for a decision on it.", f"See: devs-git gate show {asked[0]}"
        )
    elif proposals and proposals[-1].status == gate_model.REJECTED:
        yield _warning(
            f"{text}, and gate {proposals[-1].gate_id}, which proposed it, was rejected.",
            f"Bring back the policy in force, or change {PROPOSED} and propose it again.",
        )
    else:
        yield _warning(f"{text}, and nobody proposes it.", _PROPOSE)


def _wrong(error: DevsError, file: str) -> Finding:
    return Finding(error.code, "error", error.message, error.hint, "", error.details.get("line", 0), file)


def _warning(text: str, hint: str) -> Finding:
    return Finding("POLICY_INVALID", "warning", text, hint, file=PROPOSED)
