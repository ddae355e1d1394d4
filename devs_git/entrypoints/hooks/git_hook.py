"""The entry point of git hooks: `python -m devs_git hook <name> [args]`, without click.

Hooks that run after git's work cannot refuse it: an error becomes one line on standard error, which says what was not
recorded and what to run, and the exit status is 0. The others say why they refuse and exit with 1, also after an error:
`pre-commit`, `pre-receive` on a server, `strict-tags` for the strict hook, and for the pre-commit framework `tas-lock`,
`gate-guard`, `policy-schema` and `commit-trailers`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from devs_git.errors import DevsError
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.workspace import Workspace


def main(arguments: list[str]) -> int:
    """Run the hook `arguments[0]` and return its exit status; 0 for an unknown hook, so that git continues."""
    recorders = {"post-commit": _post_commit, "post-merge": _post_commit, "post-rewrite": _post_rewrite}
    name, *rest = arguments or [""]
    if name == "before-tool":
        from devs_git.entrypoints.hooks import agent_hook

        return agent_hook.main(rest)
    if name == "after-tool":
        from devs_git.entrypoints.hooks import after_tool

        return after_tool.main(rest)
    if name == "recall":
        from devs_git.entrypoints.hooks import recall

        return recall.main(rest)
    if name in GUARDS:
        return _run_guard(name, rest)
    if name not in recorders:
        return 0
    try:
        recorders[name](rest)
    except DevsError as error:
        _say(f"{error.message} {error.hint}")
    except Exception as error:  # noqa: BLE001 - a bug of devs-git must not look like a failure of git
        from devs_git.storage.git import failures

        known = failures.refusal_of(error)
        what = known.message if known else f"this is a bug of devs-git: {type(error).__name__}: {error}."
        _say(f"{what} Run: devs-git checkpoint")
    return 0


def _run_guard(name: str, arguments: list[str]) -> int:
    from devs_git.entrypoints import console

    try:
        GUARDS[name](arguments)
    except DevsError as error:
        text = f"devs-git: {error.code}: {error.message}\n{error.hint}"
    except Exception as error:  # noqa: BLE001 - what cannot be checked is refused
        from devs_git.storage.git import failures

        known = failures.refusal_of(error)
        bug = f"this is a bug of devs-git: {type(error).__name__}: {' '.join(str(error).split())}"
        text = f"devs-git: {known.code}: {known.message}\n{known.hint}" if known else f"devs-git: {bug}"
    else:
        return 0
    console.write(text.strip().replace("\n", "\ndevs-git: "), err=True)
    return 1


def _tas_lock(_arguments: list[str]) -> None:
    from devs_git.operations.gates import check_tas_lock
    from devs_git.workspace import Workspace

    check_tas_lock.check(Workspace.open())


def _pre_commit(arguments: list[str]) -> None:
    from devs_git.operations.gates import pre_commit_checks
    from devs_git.workspace import Workspace

    _tas_lock(arguments)
    pre_commit_checks.check_staged_policy(Workspace.open())


def _check_tip(_arguments: list[str]) -> None:
    from devs_git.workspace import Workspace

    Workspace.open().require_believed()


def _restore_tip(_arguments: list[str]) -> None:
    """Restore a tip that a prune deleted; reading the tip does this."""
    from devs_git.workspace import Workspace

    Workspace.open().ledger.tip()


def _gate_guard(_arguments: list[str]) -> None:
    """For the pre-commit framework, which sets PRE_COMMIT_REMOTE_BRANCH to the target of a push."""
    from devs_git.workspace import Workspace

    if re.match(
        r"refs/(heads/devs/ledger$|devs/|tags/devs/)", os.environ.get("PRE_COMMIT_REMOTE_BRANCH", "")
    ):
        return
    workspace = Workspace.open()
    workspace.ledger.require()
    workspace.require_believed()
    if gates := workspace.ledger.open_gates():
        raise DevsError(
            "GATE_BLOCKED",
            f"This repository is frozen, because gate {gates[0]} waits for a person's decision.",
            hint=f"See it: devs-git gate show {gates[0]}",
            gate_id=gates[0],
        )


def _pre_receive(_arguments: list[str]) -> None:
    """Standard input: `<old> <new> <ref>` lines of a push. Its objects are still in git's quarantine."""
    from pathlib import Path

    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded
    from devs_git.storage.git.places import locate
    from devs_git.storage.git.program import split_lines
    from devs_git.storage.ledger import received

    lines = split_lines(os.fsdecode(bounded.read(sys.stdin.buffer, limits.REFS, "refs")))
    received.check(locate(Path()), received.read(lines))


def _strict_tags(arguments: list[str]) -> None:
    """Argument: the ledger's new oid. Standard input: `<ref>:<oid>` lines of the tags that the same transaction moves.

    A hook of an older version passes these lines as further arguments.
    """
    from pathlib import Path

    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded
    from devs_git.storage.git.places import locate
    from devs_git.storage.ledger import received

    event, *pairs = arguments
    if not pairs:
        pairs = os.fsdecode(bounded.read(sys.stdin.buffer, limits.REFS, "standard input")).split()
    received.require_explained(locate(Path()), event, dict(pair.rsplit(":", 1) for pair in pairs))


def _policy_schema(arguments: list[str]) -> None:
    from devs_git.operations.gates import pre_commit_checks
    from devs_git.workspace import Workspace

    _refuse_all(pre_commit_checks.check_policies(Workspace.open(), arguments))


def _commit_trailers(arguments: list[str]) -> None:
    from devs_git.operations.gates import pre_commit_checks
    from devs_git.workspace import Workspace

    if len(arguments) != 1:
        raise DevsError(
            "INVALID_ARGUMENTS",
            "commit-trailers takes one argument: the file with the commit message.",
            hint="It belongs to the stage commit-msg: pre-commit install -t commit-msg",
            field="arguments",
        )
    _refuse_all(pre_commit_checks.check_message(Workspace.open(), arguments[0]))


def _refuse_all(found: Iterable[DevsError]) -> None:
    """Raise one refusal with all reasons, so that nobody has to run the hook once for each."""
    reasons = tuple(found)
    if reasons:
        first, *more = reasons
        text = "".join(f"\n{one.code}: {one.message}" for one in more)
        raise DevsError(first.code, first.message + text, hint=first.hint)


GUARDS: Final = {
    "checked": _check_tip,
    "newest": _restore_tip,
    "pre-commit": _pre_commit,
    "tas-lock": _tas_lock,
    "gate-guard": _gate_guard,
    "policy-schema": _policy_schema,
    "commit-trailers": _commit_trailers,
    "pre-receive": _pre_receive,
    "strict-tags": _strict_tags,
}


def _say(text: str) -> None:
    from devs_git.entrypoints import console

    console.write(f"devs-git: not recorded as a checkpoint: {' '.join(text.split())}", err=True)


def _post_commit(_arguments: list[str]) -> None:
    from devs_git.workspace import Workspace

    _record(Workspace.open().start())


def _record(workspace: Workspace, *, amended: bool = False) -> None:
    from devs_git.operations.checkpoint import record_in_hook
    from devs_git.operations.recall import ingest_in_hook

    record_in_hook.record_head(
        workspace,
        lambda: workspace.checkpoint_on_commit,
        amended=amended,
        listen=lambda task_id: ingest_in_hook.read_new_messages(workspace, task_id),
    )


def _post_rewrite(arguments: list[str]) -> None:
    """Standard input: `<old> <new>` lines, one for each commit that git rewrote."""
    from devs_git.domain.text import limits
    from devs_git.operations.checkpoint import follow_rewrite
    from devs_git.storage.git import bounded
    from devs_git.workspace import Workspace

    cause = arguments[0] if arguments else "rebase"
    text = os.fsdecode(bounded.read(sys.stdin.buffer, limits.REFS, "commits"))
    pairs = (line.split()[:2] for line in text.splitlines() if len(line.split()) >= 2)
    new_of = {old: new for old, new in pairs if old != new}
    if not new_of:
        return
    workspace = Workspace.open().start()
    followed = follow_rewrite.follow_rewritten_commits(workspace, new_of, cause)
    if cause == "amend" and followed is None:
        _record(workspace, amended=True)
