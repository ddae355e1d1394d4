"""The TAS lock of a commit that is being made: compares the TAS in the index with what persons approved.

Also writes the note `devs/tas-path`, from which the hook reads the TAS's path without Python. The note names the policy
that it was made from; if another policy is in force, the hook starts Python instead.
"""

from __future__ import annotations

import shlex

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.policy import parse
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage.documents import tas_file
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import checked_tip, gate_files
from devs_git.storage.ledger.store import Tip
from devs_git.values import TYPE_CHECKING, Final
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.gates.tas_lock import Revision

_SHOWN: Final = 3  # sections that a refusal names


def write_path_note(places: Places, tip: Tip) -> str:
    """Write the note for the hook, if a shell can read the path. Returns the path of the TAS."""
    path = checked_tip.policy_at(tip).tas_path
    entry = tip.ledger.list_path(tip.tree, "").get(IN_FORCE)
    plain = path == path.strip() and "\n" not in path and not path.startswith((".", "/"))
    if plain:
        replace_file(places.tas_note, f"{entry.oid if entry else 'none'} {path}\n".encode())
    return path


def check(workspace: Workspace) -> None:
    """TAS_UNAPPROVED{path, sections} if the index changes a section of the TAS and nobody approved the change."""
    tip = workspace.ledger.require()
    path = write_path_note(workspace.places, tip)
    git = workspace.git
    old, new = _blob(git, f"HEAD:{path}"), _blob(git, f":0:{path}")
    if not (new and new == _blob(git, f"MERGE_HEAD:{path}")):
        way = f"Or leave it out of the commit: git restore --staged -- {shlex.quote(path)}"
        _require_approved(git, tip, path, (old, new), way)


def check_tree(git: Git, tip: Tip, head: str, tree: str) -> None:
    """TAS_UNAPPROVED{path, sections} if a commit with this tree on `head` would change a section that nobody approved."""
    path = checked_tip.policy_at(tip).tas_path
    plain = git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    # Few commits change the TAS, so most need one child.
    words = ("diff-tree", "-r", "-t", "-z", "--ignore-submodules=none", head, tree, "--", path)
    status, differs = plain.attempt(*words, ok=(0, 128))
    if status or differs:
        blobs = _blob(git, f"{head}:{path}"), _blob(git, f"{tree}:{path}")
        _require_approved(git, tip, path, blobs, "Nothing was changed.")


def _require_approved(git: Git, tip: Tip, path: str, blobs: tuple[str | None, str | None], way: str) -> None:
    """Refuse the change from the first of `blobs` to the second, unless somebody approved it. `way`: what else one can do."""
    old, new = blobs
    if new == old:
        return
    # Few commits change the TAS.
    from devs_git.domain.gates import tas_lock

    old = old or _before_it_moved(git, tip, path)
    sections = tas_lock.unapproved_sections(
        old, new, approved_revisions(tip), lambda oid: tas_file.text(git, oid)
    )
    if sections or (new is None and old is not None):
        raise _refusal(path, sections, way)


def approved_revisions(tip: Tip) -> tuple[Revision, ...]:
    """The approved TAS revisions, in the order in which they were decided."""
    from devs_git.domain.gates.tas_lock import Revision

    waiting = set(gate_files.open_ids(tip))
    found = [gate_files.find(tip, one) for one in gate_files.all_ids(tip) if one not in waiting]
    made = [
        (
            str(gate.decision["resolved_at"]),
            Revision(_oid(gate, "before"), _oid(gate, "after"), gate.sections),
        )
        for gate in found
        if gate.gate_type == gate_model.TAS_REVISION and gate.decision and gate.status == gate_model.APPROVED
    ]
    return tuple(revision for _, revision in sorted(made, key=lambda one: one[0]))


def _before_it_moved(git: Git, tip: Tip, path: str) -> str | None:
    """The TAS of HEAD at the path of an earlier policy, for a commit that moves the TAS to `path`."""
    written = git.text("rev-list", "--full-history", tip.oid, "--", IN_FORCE).split()
    policies = (*(gate_files.policy_of(Tip(tip.ledger, oid)) for oid in written), parse({}))
    paths = dict.fromkeys(policy.tas_path for policy in policies)
    blobs = (_blob(git, f"HEAD:{one}") for one in paths if one != path)
    return next((blob for blob in blobs if blob), None)


def _oid(gate: gate_model.Gate, side: str) -> str | None:
    return gate.text(f"tas_{side}") or None


def _blob(git: Git, name: str) -> str | None:
    git = git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    status, out = git.attempt("rev-parse", "-q", "--verify", "--end-of-options", name, ok=(0, 1, 128))
    return out.decode().strip() if status == 0 else None


def _refusal(path: str, sections: tuple[str, ...], way: str) -> DevsError:
    named = ", ".join(f"'{one}'" for one in sections[:_SHOWN]) or "all of it"
    opened = "Close the tag or comment that your section opens. " if "(now " in named else ""
    more = f" and {len(sections) - _SHOWN} more" if len(sections) > _SHOWN else ""
    return DevsError(
        "TAS_UNAPPROVED",
        f"Nobody approved a change of {path} in {named}{more}.",
        hint=f"{opened}Ask for it: devs-git gate request --type TAS_REVISION. {way}",
        path=path,
        sections=list(sections),
    )
