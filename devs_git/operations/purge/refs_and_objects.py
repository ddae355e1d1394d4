"""Which refs reach a secret: those of devs-git, which `purge` deletes, and those of people, which it only names.

A ref of devs-git is deleted if it reaches the secret by a commit that no branch, tag, stash or worktree of a person has.
If one of these has the commit, the secret is in the history of the code, and a person has to rewrite that first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.domain.moments.moment import BASE, PREFIX, STATES
from devs_git.domain.recall.purge_terms import (
    DroppedRef,
    Remainder,
    all_forms,
    contains,
    identifies_file,
    terms_of_file,
)
from devs_git.storage.git import refs
from devs_git.storage.git.object_graph import SMALL, Commit, Forest, Inventory, closure, commit_of, contents
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.moments import moment_store, prune_moments
from devs_git.values import immutable

ARCHIVE: Final = "archive"
KINDS: Final = {
    f"{ARCHIVES}/": ARCHIVE,
    "refs/devs/backup/": "backup",
    "refs/heads/snapshot/": "snapshot",
    "refs/heads/devs/preserved/": "preserved",
    "refs/devs/checkpoints/": "checkpoint",
    "refs/tags/devs/task-": "checkpoint",
    "refs/devs/branches/": "branch",
    PREFIX: "moments",
    BASE: "moments",
}
_LEDGER: Final = ("refs/heads/devs/ledger", "refs/devs/remotes/", "refs/devs/incoming/")
# Where the tree of a backup or of a moment has a path.
_INSIDE: Final = ("", "index", "worktree", "raw", "ignored")
_PEELED: Final = "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(worktreepath)"


@immutable
class Secret:
    """`path` has '/' between its names, '' for none. `contents` are versions of the file that git may not have, `texts`
    are other texts to look for. `preserved`: branches, with their oids, that a rewind made and nobody has moved.
    """

    path: str
    contents: tuple[bytes, ...]
    texts: tuple[bytes, ...]
    preserved: frozenset[tuple[str, ...]] = frozenset()


@immutable
class SecretPlaces:
    """`dropped` are refs of devs-git to delete, `left` is what only people can remove. `forms`: the texts to look for in all
    other places. `oids`: the blobs and trees that contain the secret. `moments`: the ids of the moments that contain it.
    """

    dropped: tuple[DroppedRef, ...]
    left: tuple[Remainder, ...]
    forms: tuple[bytes, ...]
    oids: frozenset[str]
    moments: frozenset[str] = frozenset()


@immutable
class _Graph:
    """All commits, those that contain the secret, and the tag objects whose text contains it."""

    commits: dict[str, Commit]
    hits: frozenset[str]
    tags: frozenset[str]

    def before(self, tips: Iterator[str]) -> set[str]:
        """The commits that `tips` reach."""
        return closure(tips, lambda oid: self.commits[oid].parents if oid in self.commits else ())

    def after(self, without: set[str]) -> set[str]:
        """The commits that reach a hit through commits which are not in `without`."""
        children: dict[str, list[str]] = {}
        for oid, commit in self.commits.items():
            for parent in commit.parents if oid not in without else ():
                children.setdefault(parent, []).append(oid)
        return closure(self.hits - without, lambda oid: children.get(oid, ()))


@immutable
class _Ref:
    name: str
    oid: str
    commit: str
    checked_out: bool
    kind: str = ""  # '' for a person's ref, and for the ledger's


def find_secret(
    git: Git, common: Path, secret: Secret, progress: Callable[[str, int, int], None]
) -> SecretPlaces:
    """Search all objects of the repository and of its moments; reads only."""
    listed = [*_refs(git, secret)]
    if moment_store.exists(common):
        own = refs.list_refs(moment_store.refs_of(git, common), PREFIX.rstrip("/"))
        listed += [_Ref(name, oid, oid, checked_out=False, kind="moments") for name, oid in own.items()]
        git = moment_store.with_objects(git, common)
    moments = prune_moments.moments_of(git, [ref.oid for ref in listed if ref.name.startswith(STATES)])
    every = frozenset(moment for of_day in moments.values() for moment in of_day)
    graph, oids, texts = _graph(git, secret, every, progress)
    people = [ref for ref in listed if not ref.kind and not ref.name.startswith(_LEDGER)]
    theirs = graph.before(ref.commit for ref in people)
    ours = graph.after(theirs)
    dropped, left = [], []
    for ref in listed:
        reached = {ref.commit, ref.oid, *moments.get(ref.oid, ())}
        if ref.kind and (reached & ours or ref.oid in graph.tags):
            if ref.checked_out:
                left.append(
                    Remainder(
                        f"{ref.name}, which is checked out",
                        "git worktree remove <its folder>, then purge again",
                    )
                )
            else:
                dropped.append(DroppedRef(ref.name, ref.oid, ref.kind))
    everywhere = graph.after(set())
    left += _people_refs(
        secret, [ref for ref in people if ref.commit in everywhere or ref.oid in graph.tags | oids]
    )
    left += _ledger(graph, [ref for ref in listed if ref.name == _LEDGER[0]], everywhere)
    left += _indexes(git, worktrees(git, common), oids)
    return SecretPlaces(tuple(dropped), tuple(left), all_forms(texts), frozenset(oids), every & graph.hits)


def _refs(git: Git, secret: Secret) -> Iterator[_Ref]:
    for line in git.run("for-each-ref", _PEELED).split(b"\n"):
        if line:
            name, oid, peeled, place = (os.fsdecode(part) for part in line.split(b"\0"))
            known = next((kind for prefix, kind in KINDS.items() if name.startswith(prefix)), "")
            kind = "preserved" if (name, oid) in secret.preserved else known
            yield _Ref(name, oid, peeled or oid, bool(place), kind)
    for facts in refs.worktree_heads(git):
        if "detached" in facts:
            yield _Ref(f"HEAD of {facts['worktree']}", facts["HEAD"], facts["HEAD"], checked_out=True)
    for oid in refs.stashes(git):
        yield _Ref("refs/stash", oid, oid, checked_out=False)


def _graph(
    git: Git, secret: Secret, moments: frozenset[str], progress: Callable[[str, int, int], None]
) -> tuple[_Graph, set[str], tuple[bytes, ...]]:
    """The graph, the blobs and trees that are hits, and all texts to look for, with those of the file's versions.

    A moment is a tree. In the graph it is like a commit without parents.
    """
    every = Inventory.of(git)
    path = secret.path.split("/") if secret.path else []
    wanted = all_forms(secret.texts)
    least = min(map(len, wanted), default=0)
    blobs = set(every.blobs_with(wanted, progress, least)) if wanted else set()
    forest = Forest.of(every.read("tree", progress), {*path, *_INSIDE}, blobs)
    raw = dict(every.read("commit", progress))
    trees = {oid: commit_of(data, matches=False).tree for oid, data in raw.items()}
    trees |= {oid: oid for oid in moments}
    at_path = {oid: _at(forest, tree, path) for oid, tree in trees.items()} if path else {}
    entries = {entry for found in at_path.values() for entry in found}
    versions = _blobs(git, entries)
    files = dict(contents(git, [oid for oid in versions if every.sizes["blob"].get(oid, 0) <= SMALL]))
    texts = (*secret.texts, *terms_of_file([*files.values(), *secret.contents]))
    known = {oid for oid in versions if oid not in files or identifies_file(files[oid])}
    if known:  # the same content under another name
        forest = Forest.of(every.read("tree", progress), (), blobs | known)
    held = forest.with_trees_above(blobs | known)
    every_form = all_forms(texts)
    commits = {oid: commit_of(data, matches=contains(data, every_form)) for oid, data in raw.items()}
    commits |= {oid: Commit(oid, (), matches=False) for oid in moments}
    hits = {
        oid for oid, commit in commits.items() if commit.matches or commit.tree in held or at_path.get(oid)
    }
    tags = {oid for oid, data in every.read("tag", progress) if contains(data, every_form)}
    return _Graph(commits, frozenset(hits), frozenset(tags)), blobs | known | entries, texts


def _at(forest: Forest, tree: str, path: list[str]) -> set[str]:
    """What a tree has at the path, also in the trees inside a backup."""
    found = {forest.at(tree, [*([inside] if inside else []), *path]) for inside in _INSIDE}
    return found - {""}


def _blobs(git: Git, entries: set[str]) -> set[str]:
    """The blobs among the entries, and those in their trees."""
    found: set[str] = set()
    script = "".join(f"{oid}\n" for oid in sorted(entries)).encode()
    out = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=script) if entries else b""
    for line in out.decode().splitlines():
        oid, kind = line.split(" ")[:2]
        if kind == "blob":
            found.add(oid)
        elif kind == "tree":
            found |= {
                row.split(" ")[2].partition("\t")[0] for row in split_z(git.run("ls-tree", "-r", "-z", oid))
            }
    return found


def _people_refs(secret: Secret, people: list[_Ref]) -> Iterator[Remainder]:
    what = f"--invert-paths --path {secret.path}" if secret.path else "--replace-text FILE"
    for ref in people:
        if ref.name == "refs/stash":
            yield Remainder("a stash entry", "git stash list, then git stash drop <the entry>")
        elif ref.name.startswith("refs/remotes/"):
            yield Remainder(
                ref.name, "rewrite it in the clone that pushes it, push it by force, then git fetch --prune"
            )
        elif ref.name.startswith("HEAD of "):
            yield Remainder(ref.name, f"git filter-repo --force {what}, or git worktree remove")
        else:
            yield Remainder(ref.name, f"git filter-repo --force {what} --refs {ref.name}")


def _ledger(graph: _Graph, listed: list[_Ref], everywhere: set[str]) -> Iterator[Remainder]:
    for ref in listed:
        count = len(graph.before(iter([ref.commit])) & graph.hits)
        if ref.commit in everywhere:
            yield Remainder(
                f"the texts of {count} events of the ledger",
                "no command: the ledger is append-only; make the secret worthless",
            )


def _indexes(git: Git, every: tuple[Places, ...], oids: set[str]) -> Iterator[Remainder]:
    """Worktrees whose index has it."""
    for one in every:
        inside = git.with_env(GIT_DIR=os.fspath(one.git_dir), GIT_INDEX_FILE=os.fspath(one.git_dir / "index"))
        lines = split_z(inside.run("ls-files", "-s", "-z"))
        for line in lines:
            facts, _, path = line.partition("\t")
            if facts.split(" ")[1] in oids:
                yield Remainder(
                    f"{path} in the index of {one.top}",
                    "git rm --cached, or commit the file without the secret",
                )
