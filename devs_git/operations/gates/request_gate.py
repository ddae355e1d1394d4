"""The record of a request: what is asked, and the state of the repository at that moment.

Each attempt to write it makes it again, so that branch, HEAD and the tips of all branches are those at the time of the
event.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.gates import gate_model, policy
from devs_git.domain.gates.gate_model import Question
from devs_git.domain.ledger.events import IN_FORCE, LEDGER
from devs_git.domain.text import limits
from devs_git.errors import DevsError, invalid
from devs_git.storage.documents import tas_file, yaml_documents
from devs_git.storage.git import bounded, refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import checked_tip, gate_files, policy_file
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree.survey import head_of
from devs_git.values import immutable

_BRANCHES: Final = "refs/heads/"
_REMOTES: Final = "refs/remotes/"
MANY: Final = 1000  # branches; with many more, a request would be larger than a file may be
_COMMENT: Final = "A request; immutable. Its status is derived from the decision beside it."


@immutable
class GateRequest:
    """A request to write: `git` is this worktree's, `store_git` reads objects by their oids."""

    git: Git
    store_git: Git
    gate_id: str
    asked: Question

    def file(self, tip: Tip, created_at: str) -> bytes:
        """The request file for the current state of the repository. Raises if this cannot be asked here."""
        record = self.record(tip, created_at)
        data = yaml_documents.dump(record, gate_files.schema_of(self.asked.gate_type), comment=_COMMENT)
        if len(data) > yaml_documents.MAX_BYTES:
            field = "proposed_changes.proposed_text" if self.asked.proposed_changes else "blocker_description"
            raise invalid(field, f"The request is larger than {yaml_documents.MAX_BYTES // 1024} KiB.")
        return data

    def record(self, tip: Tip, created_at: str) -> dict[str, Any]:
        where = head_of(self.git)
        head, branch = where.commit, where.branch
        record: dict[str, Any] = {
            "gate_id": self.gate_id,
            "gate_type": self.asked.gate_type,
            "agent_id": self.asked.agent_id or None,
            "task_id": self.asked.task_id or None,
            "blocker_description": self.asked.blocker_description,
        }
        if self.asked.gate_type == gate_model.TAS_REVISION:
            record |= self._revision(tip, head, branch)
        elif self.asked.gate_type == gate_model.POLICY_CHANGE:
            record |= self._policy_change(tip, head)
        if self.asked.requested_by:
            record["requested_by"] = self.asked.requested_by
        return record | {
            "created_at": created_at,
            "branch": _text(branch.removeprefix(_BRANCHES)) or None,
            "git_head": head or None,
            "heads": self._heads(head),
            "after": tip.oid,
        }

    def _heads(self, head: str) -> Mapping[str, str]:
        """The tips of all local branches. If there are very many, only those that HEAD does not reach, and HEAD.

        Also the tips of the tracking branches: another clone may not have a local tip yet, and without these it would
        take older commits for commits that were made after this gate.
        """
        found = refs.list_refs(self.store_git, _BRANCHES)
        if len(found) > MANY and head:
            apart = refs.list_refs(self.store_git, f"--no-merged={head}", _BRANCHES)
            found = {name: oid for name, oid in found.items() if name in apart} | {"HEAD": head}
        found.pop(LEDGER, None)
        remote_tips = refs.list_refs(self.store_git, _REMOTES)
        if len(found) + len(remote_tips) <= MANY:
            found |= {name.removeprefix("refs/"): oid for name, oid in remote_tips.items() if _commits(name)}
        return {_text(name.removeprefix(_BRANCHES)): oid for name, oid in found.items()}

    def _revision(self, tip: Tip, head: str, branch: str) -> dict[str, Any]:
        changes = self.asked.proposed_changes
        assert changes is not None
        if changes.proposed_text is not None and not (branch and head):
            raise invalid(
                "branch",
                "A proposed text is committed to a branch, but HEAD is detached or has no commit.",
                hint="Switch to a branch: git switch <branch>",
            )
        path = checked_tip.policy_at(tip).tas_path
        proposed: dict[str, Any] = {
            "sections_to_modify": list(changes.sections_to_modify),
            "rationale": changes.rationale,
            "risk_assessment": changes.risk_assessment,
        }
        after = None
        if changes.proposed_text is not None:
            proposed["proposed_text"] = tas_file.with_stored_line_ends(self.git, path, changes.proposed_text)
            after = gate_model.blob_oid(proposed["proposed_text"].encode())
        return {
            "proposed_changes": proposed,
            "tas_path": path,
            "tas_before": tas_file.blob(self.store_git, head, path),
            "tas_after": after,
        }

    def _policy_change(self, tip: Tip, head: str) -> dict[str, Any]:
        """The whole text of the proposed policy, to which the decision is bound."""
        in_tree = self._in_tree(tip)
        data = self._tracked(head) if in_tree is None else in_tree
        # Only what is read from a commit needs one to be corrected.
        with contextlib.nullcontext() if in_tree is not None else policy_file.telling_place(self.git, "HEAD"):
            record = policy_file.check(data, policy.PROPOSED, tip)
        if policy_file.is_in_force(record, tip):
            raise self._nothing_new(data)
        before = tip.read(IN_FORCE)
        return {
            "proposed_policy": data.decode("utf-8"),
            "policy_before": None if before is None else gate_model.blob_oid(before),
        }

    def _nothing_new(self, data: bytes) -> DevsError:
        """INVALID_ARGUMENTS{gate_type}: a gate would freeze the repository, and no answer would change anything."""
        if policy_file.read_tree(self.git.where) not in (None, data):
            name = policy.PROPOSED
            hint = f"The file in the working tree is not committed: git commit {name}, and ask again."
        else:
            hint = f"Edit {policy.PROPOSED}, commit it and ask again."
        what = f"{policy.PROPOSED} proposes nothing new: the policy in force has the same settings."
        return invalid("gate_type", what, hint=hint)

    def _in_tree(self, tip: Tip) -> bytes | None:
        """The policy of the worktree while a gate is open, because nobody can commit it then; else None."""
        here = self.git.where / policy.PROPOSED
        if tip.names("open") and here.is_file() and not here.is_symlink():
            return bounded.read_file(here, limits.DOCUMENT, policy.PROPOSED, "POLICY_INVALID")
        return None

    def _tracked(self, head: str) -> bytes:
        oid = tas_file.blob(self.store_git, head, policy.PROPOSED)
        if oid is None:
            raise DevsError(
                "POLICY_INVALID",
                f"HEAD has no {policy.PROPOSED}.",
                hint=f"Commit it first: git add {policy.PROPOSED} && git commit",
                field=policy.PROPOSED,
            )
        return bounded.blob(self.store_git, oid, limits.DOCUMENT, policy.PROPOSED, "POLICY_INVALID")


def _commits(name: str) -> bool:
    """Whether this tracking branch has commits of the code, and is not a second name of another branch."""
    return not name.endswith(("/HEAD", "/devs/ledger"))


def _text(name: str) -> str:
    """A branch's name as text; bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
