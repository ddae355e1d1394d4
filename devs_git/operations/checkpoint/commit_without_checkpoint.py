"""The refusal of a commit that is no checkpoint: it names the checkpoints near it, for a person copies oids from any log."""

from __future__ import annotations

from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import Target, bare
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git, split_lines

# Commits that are looked through for a checkpoint near the one that was named.
_FAR = 5000


def refusal(git: Git, history: History, target: Target, otherwise: DevsError) -> DevsError:
    """CHECKPOINT_NOT_FOUND if the target is a commit for git; else `otherwise`."""
    if target.number is not None or (target.task and target.oid):
        return otherwise
    rev = target.oid or target.short or bare(target.task)
    commit = refs.commit_of(git, rev)
    return _no_checkpoint(git, history, rev, commit) if commit else otherwise


def _no_checkpoint(git: Git, history: History, rev: str, commit: str) -> DevsError:
    """The refusal of a commit: the checkpoints near it, and git's own commands for a commit."""
    known = {point.commit: point for point in history.checkpoints.values() if not point.gone}
    if here := known.get(commit):
        return _refusal(rev, commit, f"It is the commit of {here.name}.")
    older = split_lines(git.text("rev-list", f"--max-count={_FAR}", "--end-of-options", commit))
    newer = split_lines(git.text("rev-list", "--ancestry-path", f"--max-count={_FAR}", f"{commit}..HEAD"))
    before = next((f"{known[one].name} before it" for one in older if one in known), "")
    after = next((f"{known[one].name} after it" for one in reversed(newer) if one in known), "")
    near = [words for words in (before, after) if words]
    return _refusal(rev, commit, f"Near it: {' and '.join(near)}." if near else "")


def _refusal(rev: str, commit: str, near: str) -> DevsError:
    short = commit[:10]
    ways = f"For its files: git restore --source {short} -- PATH. For a branch there: git branch NAME {short}"
    return DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"{rev} is a commit, but no checkpoint.",
        hint=f"{near} {ways}".strip(),
        oid=commit,
    )
