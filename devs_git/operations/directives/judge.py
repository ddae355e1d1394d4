"""Whether a directive may be put before a model: who wrote it decides.

The hook hands over only what a person wrote at a terminal of this clone, and what an approver of the policy in force signed.
Anybody who can push can write an event with a directive. Such a directive is listed, and never sent.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from devs_git.domain.directives.directive import Standing, file_of
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip

_NOBODY = "It was not written at a terminal of this clone, and no approver signed it."


@immutable
class JudgedDirective:
    """A directive with its text. `author`: who wrote it, if that is proved; else whom the ledger names.

    `refused`: why it is never handed over; '' if it may be.
    """

    standing: Standing
    text: str
    author: str
    refused: str = ""


class Judge:
    """Judges directives by the ledger at one tip. Make it where the ledger is believed (`Workspace.require_believed`)."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.tip: Tip = workspace.ledger.tip()

    @cached_property
    def _repository(self) -> str:
        return self.tip.ledger.git.text("rev-list", "--max-parents=0", self.tip.oid)

    def judge(self, standing: Standing) -> JudgedDirective:
        """The directive with its text and its author. A file that cannot be read is a reason to refuse it."""
        path = file_of(standing.directive_id)
        try:
            data = self.tip.read(path)
            if data is None:
                return JudgedDirective(standing, "", "", "The ledger does not have its text.")
            from devs_git.storage.documents import yaml_documents

            record = yaml_documents.load(data, path, "directive", code="LEDGER_MUTATED")
        except DevsError as error:
            return JudgedDirective(standing, "", "", error.message)
        text, author = str(record["text"]), str(record.get("author") or "")
        if (record["directive_id"], record.get("task_id")) != (standing.directive_id, standing.task_id):
            return JudgedDirective(standing, text, author, "Its event names another task.")
        if standing.digest == hashlib.sha256(data).hexdigest():
            return JudgedDirective(standing, text, author)
        try:
            return JudgedDirective(standing, text, self._signer(record))
        except DevsError as error:
            return JudgedDirective(standing, text, author, error.message)

    def _signer(self, record: dict[str, Any]) -> str:
        """The approver who signed a record. UNKNOWN_SIGNER, BAD_SIGNATURE, SELF_APPROVAL."""
        if not record.get("signature"):
            raise DevsError("UNKNOWN_SIGNER", _NOBODY)
        signature = str(record["signature"]).encode()
        return require_signed(self.workspace, record, self._repository, signature)


def require_signed(workspace: Workspace, record: dict[str, Any], repository: str, signature: bytes) -> str:
    """The approver of the policy in force who made this signature on a record. UNKNOWN_SIGNER, BAD_SIGNATURE, SELF_APPROVAL."""
    from devs_git.domain.belief import allowed
    from devs_git.domain.directives import signed_text
    from devs_git.operations.gates import own_signature
    from devs_git.storage.documents import signatures

    policy = workspace.policy
    message = signed_text.canonical(repository, record)
    signer = signatures.verify(message, signature, own_signature.signers(policy), signed_text.NAMESPACE)
    if wrong := allowed.refusal(policy, "", signer, signatures.key_in(signature)):
        raise wrong
    return printable(signer, "")
