"""What `ledger_trees` reads is what `git diff-tree -r` prints, up to its limit."""

from __future__ import annotations

import os
import random
import subprocess
from functools import reduce
from pathlib import Path

import pytest

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.ledger.events import NO_OID
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed, of_store
from devs_git.storage.ledger import ledger_trees
from devs_git.storage.ledger.ledger_trees import LEVELS, MOST
from tests.attacks.test_who_is_believed import raw_tree
from tests.support.git_calls import git

NAMES = ("a", "a.b", "a-b", "b\nc", "ä", "a\udcffb", "policy.yaml", "gates")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    git("init", "-q", os.fspath(tmp_path))
    monkeypatch.chdir(tmp_path)
    return of_store(tmp_path / ".git")


def tree(*rows: str) -> str:
    """The oid of a tree of these rows: a mode, a type, an oid and a name."""
    words = ("git", "mktree", "-z")
    data = b"".join(os.fsencode(row) + b"\0" for row in rows)
    return subprocess.run(words, input=data, capture_output=True, check=True).stdout.decode().strip()


def drawn(chance: random.Random, level: int = 1) -> str:
    rows = []
    for name in chance.sample(NAMES, chance.randrange(1, len(NAMES))):
        if level < LEVELS and chance.random() < 0.5:
            rows.append(f"040000 tree {drawn(chance, level + 1)}\t{name}")
        else:
            mode = chance.choice(("100644", "100755", "120000"))
            rows.append(
                f"{mode} blob {git('hash-object', '-w', '--stdin', stdin=chance.choice('xyz'))}\t{name}"
            )
    return tree(*rows)


def printed(store: Git, old: str, new: str, *how: str) -> tuple[Change, ...]:
    out = store.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new, *how)
    parts = iter(out.split(b"\0")[:-1])
    rows = ((os.fsdecode(name), row.decode().split(" ")) for row, name in zip(parts, parts, strict=True))
    return tuple(Change(name, *(oid.replace(NO_OID, "") for oid in row[2:4])) for name, row in rows)


@pytest.mark.quick
def test_it_reads_what_git_prints(store: Git) -> None:
    chance = random.Random(18)
    trees = [EMPTY_TREE, *(drawn(chance, level) for level in (1, 4, 5, 6, 6))]
    pairs = [(old, new) for old in trees for new in trees]
    for how, only in (((), ()), (("--diff-filter=a",), ()), ((), ("gates", "policy.yaml"))):
        found = ledger_trees.read(store, dict.fromkeys(pairs, 10**6), *how, only=only)
        asked = (*how, "--", *only)
        assert found == {pair: printed(store, *pair, *asked) for pair in pairs}
        assert any(found.values())


@pytest.mark.quick
def test_it_reads_as_many_names_and_levels_as_it_may(store: Git) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin="x")

    def folder(inner: str, _level: int) -> str:
        return tree(f"040000 tree {inner}\ta")

    deep = reduce(folder, range(LEVELS - 1), tree(f"100644 blob {blob}\tb"))
    deeper = folder(deep, 0)
    wide = tree(*(f"100644 blob {blob}\t{name}" for name in range(MOST)))
    wider = tree(f"040000 tree {wide}\ta")
    pairs = {(EMPTY_TREE, one): MOST for one in (deep, deeper, wide, wider, EMPTY_TREE)}
    found = ledger_trees.read(store, pairs)
    assert {new: changes and len(changes) for (_, new), changes in found.items()} == {
        deep: 1,
        deeper: None,
        wide: MOST,
        wider: None,
        EMPTY_TREE: (),
    }
    # Each pair has its own limit, and what one has too much takes nothing from the next.
    assert ledger_trees.read(
        store, {(EMPTY_TREE, wider): MOST + 1, (EMPTY_TREE, wide): 1, (wide, deep): MOST + LEVELS}
    ) == {
        (EMPTY_TREE, wider): printed(store, EMPTY_TREE, wider),
        (EMPTY_TREE, wide): None,
        (wide, deep): printed(store, wide, deep),
    }


def test_folders_without_files_count(store: Git) -> None:
    empty = tree(*(f"040000 tree {EMPTY_TREE}\t{name}" for name in range(10)))
    full = tree(*(f"040000 tree {empty}\t{name}" for name in range(10)))
    assert ledger_trees.read(store, {(EMPTY_TREE, full): 109})[EMPTY_TREE, full] is None
    assert ledger_trees.read(store, {(EMPTY_TREE, full): 110})[EMPTY_TREE, full] == ()


@pytest.mark.parametrize("at", ["first", "last", "below"])
def test_a_missing_tree(store: Git, at: str) -> None:
    there = tree(f"100644 blob {git('hash-object', '-w', '--stdin', stdin='x')}\tb")
    above = tree(f"040000 tree {there}\ta")
    other = tree(f"040000 tree {above}\ta")
    gone = there if at == "below" else above
    Path(".git/objects", gone[:2], gone[2:]).unlink()
    pairs = {
        "first": [(EMPTY_TREE, above), (EMPTY_TREE, there)],
        "last": [(EMPTY_TREE, there), (EMPTY_TREE, above)],
    }
    asked = pairs.get(at, [(EMPTY_TREE, other)])
    with pytest.raises(GitFailed, match="missing"):
        ledger_trees.read(store, dict.fromkeys(asked, MOST))


FOLDER, FILE = "40000", "100644"
# As git sorts them: a folder as if its name ended with a slash.
SORTED = ("a-b", "a.d", "a/", "a0", "b", "\u00e4")


def rows_of(*names: str) -> list[tuple[str, str, str]]:
    blob = git("hash-object", "-w", "--stdin")
    folder = raw_tree((FILE, "x", blob))
    return [(FOLDER, one[:-1], folder) if one.endswith("/") else (FILE, one, blob) for one in names]


def odd(store: Git, *names: str) -> list[str]:
    """What is said of a tree with these entries, and of one with the same a level deeper."""
    top = raw_tree(*rows_of(*names))
    deeper = raw_tree((FOLDER, "m", top), *rows_of("n"))
    return [
        one.message.partition(", ")[2]
        for at in (top, deeper)
        for one in ledger_trees.find_odd_entry(store, at)
    ]


@pytest.mark.quick
def test_entries_in_the_order_of_git_are_sound(store: Git) -> None:
    assert odd(store, *SORTED) == []


@pytest.mark.quick
@pytest.mark.parametrize("at", range(len(SORTED) - 1))
def test_two_entries_that_changed_places_are_out_of_order(store: Git, at: int) -> None:
    swapped = [*SORTED[:at], SORTED[at + 1], SORTED[at], *SORTED[at + 2 :]]
    late = SORTED[at].rstrip("/")
    assert odd(store, *swapped) == [f"{name} occurs twice or out of order." for name in (late, f"m/{late}")]


@pytest.mark.quick
@pytest.mark.parametrize("names", [("b", "b"), ("b", "b/"), ("b/", "b/"), ("b", "b.c", "b/")])
def test_a_name_of_two_entries_occurs_twice(store: Git, names: tuple[str, ...]) -> None:
    assert odd(store, *names) == [f"{name} occurs twice or out of order." for name in ("b", "m/b")]
