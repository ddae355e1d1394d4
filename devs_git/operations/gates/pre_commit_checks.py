"""The checks of git's hook `pre-commit` and of the hooks for the pre-commit framework: policies, and a commit message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devs_git.domain.audit import commit_message
from devs_git.domain.gates.policy import PROPOSED, parse
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import bounded
from devs_git.storage.ledger import policy_file
from devs_git.workspace import Workspace


def check_policies(workspace: Workspace, names: Sequence[str]) -> Iterator[DevsError]:
    """POLICY_INVALID for each file that is not a valid policy here. Without a ledger, its genesis is not compared."""
    tip = workspace.ledger.tip()
    for name in names:
        try:
            data = bounded.read_file(name, limits.DOCUMENT, name, "POLICY_INVALID")
            if tip.oid:
                policy_file.check(data, name, tip)
            else:
                record = yaml_documents.load(data, name, "policy", code="POLICY_INVALID")
                yield from policy_file.contradictions(parse(record), name)
        except OSError:
            yield DevsError("POLICY_INVALID", f"{name} cannot be read.", hint=f"See: ls -l {name}")
        except DevsError as error:
            yield error


def check_staged_policy(workspace: Workspace) -> None:
    """POLICY_INVALID if the commit that is being made changes the proposed policy, and no ledger here could take it."""
    before, staged = (policy_file.read_bytes(workspace.git, rev) for rev in ("HEAD", ":0"))
    if staged is None or staged == before:
        return
    try:
        policy_file.check(staged, PROPOSED, workspace.ledger.tip())
    except DevsError as error:
        hint = f"{error.hint.removesuffix('.')}. Then: git add {PROPOSED}"
        raise DevsError(error.code, error.message, hint=hint, **error.details) from error


def check_message(workspace: Workspace, name: str) -> Iterator[DevsError]:
    """What is wrong with the commit message in a file. An empty message passes, because git refuses it."""
    tip = workspace.ledger.require()
    data = bounded.read_file(name, limits.COMMIT, "message")
    if not workspace.git.run("stripspace", "--strip-comments", stdin=data):
        return
    out = workspace.git.run("interpret-trailers", "--parse", "--no-divider", stdin=data)
    found = commit_message.pairs(out.decode("utf-8", "replace"))
    wrong = list(commit_message.problems(found))
    yield from wrong
    named = dict(found).get(TrailerKey.LEDGER, "")
    reached = ("merge-base", "--is-ancestor", named, tip.oid)
    if not wrong and workspace.store_git.attempt(*reached, ok=(0, 1, 128))[0]:
        yield DevsError(
            "LEDGER_ROLLBACK",
            f"{TrailerKey.LEDGER} names the event {named[:12]}, which the ledger here does not contain.",
            hint="Fetch what other clones wrote: devs-git sync",
        )
