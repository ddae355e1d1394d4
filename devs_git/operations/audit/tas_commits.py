"""The commits that change the TAS, for `verify`, with the TAS at the path of the policy that each commit was made under.

A commit names its ledger event, and so the policy that has the path of the TAS. A commit that names none is checked with
the policy in force now. If a policy moved the TAS to another path, the first commit that has it there is compared with
the TAS at the previous path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from devs_git.domain.audit import tas_changes
from devs_git.domain.audit.findings import Finding
from devs_git.domain.audit.frozen_commits import Bound
from devs_git.domain.audit.tas_changes import Edit
from devs_git.domain.gates import gate_model
from devs_git.domain.gates.tas_approvals import Stop, Used, Ways
from devs_git.domain.gates.tas_lock import Revision
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.documents import tas_file
from devs_git.storage.git import bounded
from devs_git.storage.ledger import whole_history
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.values import immutable, replace


def tas(facts: Facts) -> Iterator[Finding]:
    """The TAS changed only with an approved gate, and to the approved text."""
    revisions = _revisions(facts)
    edits = list(_edits(facts))
    blobs = {blob for edit in edits for blob in (*edit.old, edit.new)}
    blobs |= {blob for one in revisions.values() for blob in (one.before, one.after)} if edits else set()
    read = whole_history.blobs(facts.git, {blob for blob in blobs if blob}, limits.TAS)

    def text(oid: str | None) -> str:
        if oid and oid not in read:
            raise bounded.refusal(limits.TAS, "tas")
        return read.get(oid or "", b"").decode("utf-8", "replace")

    ways = Ways(revisions.values())
    used = _used(facts, ways) if edits and revisions else {}
    for edit in edits:
        try:
            judged = replace(edit, used=used.get(edit.commit, {}))
            if finding := tas_changes.judge(judged, revisions, ways, text):
                yield facts.judgement.damaged.get(edit.gate, finding)
        except DevsError as error:
            said = f"{edit.path} at commit {edit.commit[:12]} cannot be compared: {error.message}"
            yield Finding("TAS_UNAPPROVED", "error", said, error.hint, edit.commit, file=edit.path)


def _revisions(facts: Facts) -> dict[str, Revision]:
    """The approved revisions whose decisions count, in the order of their events."""
    return {
        gate.gate_id: Revision(gate.text("tas_before") or None, gate.text("tas_after") or None, gate.sections)
        for gate in facts.judgement.gates.values()
        if gate.gate_type == gate_model.TAS_REVISION and gate.status == gate_model.APPROVED
    }


@immutable
class _Places:
    """Every path that the TAS had, in the order of the policies, with its blob in each commit."""

    blobs: Mapping[str, Mapping[str, str]]

    def at(self, commit: str, path: str) -> str | None:
        """The TAS in a commit: at the policy's `path`, or at an older path if nobody has moved it yet."""
        paths = list(self.blobs)
        older = reversed(paths[: paths.index(path) + 1])
        return next((blob for one in older if (blob := self.blobs[one].get(commit))), None)


def _paths(facts: Facts) -> list[str]:
    """Every path that the TAS had, in the order of the policies."""
    return list(dict.fromkeys(policy.tas_path for policy in facts.judgement.policies()))


def _path(facts: Facts, commit: Bound) -> str:
    """The path of the TAS in the policy that a commit was made under."""
    event = commit.ledger if commit.ledger in facts.freezes.known else facts.tip
    return facts.judgement.policy_at(event).tas_path


def _free(facts: Facts, commit: Bound) -> bool:
    """Whether a commit is older than the tracked policy, so that nobody had to ask."""
    return not commit.ledger and commit.oid in facts.early_commits


def _used(facts: Facts, ways: Ways) -> Mapping[str, Used]:
    """For each commit that changes the TAS: the approvals that earlier commits used, in the whole history."""
    paths = _paths(facts)
    _require_texts(facts, paths)
    commits = {one.oid: one for one in whole_history.commits_touching(facts.git, facts.head, paths)}
    places = _Places({path: whole_history.entries(facts.git, commits, path) for path in paths})
    stops = (Stop(oid, one.parents, places.at(oid, _path(facts, one))) for oid, one in commits.items())
    return ways.used(stops, lambda oid: _free(facts, commits[oid]))


def _require_texts(facts: Facts, paths: list[str], *bound: str) -> None:
    """GitFailed if a text of the TAS is missing: git treats a path with a missing blob as if there were no path."""
    facts.git.run("rev-list", "--objects", "--quiet", "--full-history", facts.head, *bound, "--", *paths)


def _edits(facts: Facts) -> Iterator[Edit]:
    paths = _paths(facts)
    commits = [one.oid for one in (*facts.commits, *facts.outer_parents)] + (
        [facts.base] if facts.base else []
    )
    if facts.head:
        _require_texts(facts, paths, *([f"^{facts.base}"] if facts.base else []))
    places = _Places({path: whole_history.entries(facts.git, commits, path) for path in paths})
    for commit in facts.commits:
        path = _path(facts, commit)
        edit = _edit(commit, path, places, places.at(facts.base, path) if facts.base else None)
        if any(old != edit.new for old in edit.old) and not _free(facts, commit):
            _require_absent(facts, places, edit, commit)
            yield _with_bases(facts, places, edit, commit) if len(edit.old) > 1 else edit


def _require_absent(facts: Facts, places: _Places, edit: Edit, commit: Bound) -> None:
    """GitFailed if a parent seems to have no TAS only because its blob is missing from the object store."""
    for parent in commit.parents:
        oid = tas_file.blob(facts.git, parent, edit.path) if places.at(parent, edit.path) is None else None
        if oid:
            bounded.require_blob(facts.git, oid)


def _edit(commit: Bound, path: str, places: _Places, first: str | None) -> Edit:
    """The change of one commit. `first`: the TAS at the base of the range; if there is one, no commit may start a new TAS."""
    old = tuple(places.at(parent, path) for parent in commit.parents) or (None,)
    new = places.at(commit.oid, path)
    if len(old) == 1 and new:
        old = (old[0] or first,)
    return Edit(commit.oid, path, old, new, gate=commit.gate)


def _with_bases(facts: Facts, places: _Places, edit: Edit, commit: Bound) -> Edit:
    how = ("--all", "--octopus") if len(commit.parents) > 2 else ("--all",)
    _, out = facts.git.attempt("merge-base", *how, *commit.parents, ok=(0, 1))
    bases = out.decode().split()
    found = _Places({path: whole_history.entries(facts.git, bases, path) for path in places.blobs})
    there = frozenset(found.at(base, edit.path) for base in bases)
    return Edit(edit.commit, edit.path, edit.old, edit.new, there, edit.gate)
