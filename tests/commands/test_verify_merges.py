"""verify is red where a merge of two ledgers is not what sync makes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from devs_git.commands import init, verify
from devs_git.domain.ledger.events import Draft, Event
from devs_git.entrypoints import router
from devs_git.storage.ledger import ledger_trees
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.clones import LEDGER, Clone, Pair
from tests.support.git_calls import git


def blob(clone: Clone, path: str, rev: str = LEDGER) -> bytes:
    return clone.git("cat-file", "blob", f"{rev}:{path}").encode() + b"\n"


def again(clone: Clone, files: tuple[tuple[str, bytes | None], ...]) -> None:
    """Write the merge at bob's tip once more with other files."""
    objects = clone.opened.objects
    tree = objects.edit_tree(clone.git("rev-parse", f"{LEDGER}^{{tree}}"), files)
    parents = clone.git("rev-parse", f"{LEDGER}^1", f"{LEDGER}^2").split()
    words = [word for parent in parents for word in ("-p", parent)]
    message = clone.git("log", "-1", "--format=%B", LEDGER)
    clone.git("update-ref", LEDGER, clone.git("commit-tree", tree, *words, "-m", message))


@pytest.fixture
def joined(pair: Pair) -> tuple[Pair, str, str]:
    """bob's tip is a merge by which his decision gave way: the pair, that gate and one that only ann decided."""
    gate, other = pair.ann.ask(), pair.ann.ask(kind="MANUAL")
    pair.meet()
    pair.ann.reject(gate)
    pair.ann.reject(other)
    pair.bob.approve(gate)
    pair.ann.sync()
    assert pair.bob.sync().merged == pair.bob.tip
    return pair, gate, other


def test_the_merge_of_sync_is_green(joined: tuple[Pair, str, str]) -> None:
    pair, *_ = joined
    again(pair.bob, ())
    assert pair.bob.trouble("ledger") == []


def of_a_rewind(number: int, _tip: Tip) -> Draft:
    return Draft(Event("x", "x", ()), ((f"rewinds/{number}.yaml", b"x\n"),))


def test_a_merge_that_brings_more_names_than_one_event_may(pair: Pair) -> None:
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    before = pair.bob.tip
    for number in range(ledger_trees.MOST):
        pair.bob.opened.append(partial(of_a_rewind, number))
    pair.ann.task("10")
    pair.ann.sync()
    assert pair.bob.sync().merged == pair.bob.tip
    pair.ann.sync()
    assert {clone.git("rev-parse", LEDGER) for clone in (pair.ann, pair.bob)} == {
        git("rev-parse", LEDGER, where=pair.origin)
    }
    for judged in ("", before, f"{pair.bob.tip}^1", f"{pair.bob.tip}^2"):
        oid = judged and pair.bob.git("rev-parse", judged)
        done = verify.run(pair.bob.opened, verify.Request(("ledger",), judged=oid))
        assert (done.findings, done.why_whole) == ((), "")


def dropped(_clone: Clone, _gate: str, other: str) -> tuple[tuple[str, bytes | None], ...]:
    return ((f"gates/{other}/decision.yaml", None), (f"open/{other}", b"MANUAL\n"))


def lost(clone: Clone, _gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    names = clone.git("ls-tree", "-r", "--name-only", LEDGER, "superseded/").splitlines()
    return tuple((name, None) for name in names)


def ours_instead(clone: Clone, gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    path = f"gates/{gate}/decision.yaml"
    return ((path, blob(clone, path, f"{LEDGER}^2")),)


def of_its_own(_clone: Clone, gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    return ((f"gates/{gate}/decision.yaml.sig", b"x\n"),)


def a_policy(clone: Clone, _gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    return (("policy.yaml", blob(clone, "policy.yaml") + b"backup_limit: 1MB\n"),)


def reopened(_clone: Clone, gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    return ((f"open/{gate}", b"TAS_REVISION\n"),)


def misnamed(_clone: Clone, _gate: str, _other: str) -> tuple[tuple[str, bytes | None], ...]:
    return (("superseded/" + "0" * 40, b"not its content\n"),)


@pytest.mark.quick(1)
@pytest.mark.parametrize("files", [dropped, lost, ours_instead, of_its_own, a_policy, reopened, misnamed])
def test_a_merge_that_drops_changes_or_brings_something_is_red(
    files: Callable[[Clone, str, str], tuple[tuple[str, bytes | None], ...]], joined: tuple[Pair, str, str]
) -> None:
    pair, gate, other = joined
    again(pair.bob, files(pair.bob, gate, other))
    assert [line for line in pair.bob.trouble("ledger") if line.startswith("LEDGER_MUTATED")]


def test_a_merge_that_puts_the_older_policy_into_force_is_red(pair: Pair) -> None:
    text = f"genesis: '{gate_scene.genesis(pair.bob.opened)}'\nbackup_limit: 5MB\n"
    gate_scene.commit(pair.bob.top, {"devs-policy.yaml": text})
    pair.bob.approve(pair.bob.ask(kind="POLICY_CHANGE"))
    pair.ann.task("10")
    pair.ann.sync()
    pair.bob.sync()
    assert pair.bob.trouble("ledger") == []
    older = blob(pair.bob, "policy.yaml", f"{LEDGER}^1")
    again(pair.bob, (("policy.yaml", older),))
    assert "has a policy.yaml that does not follow from its parents" in pair.bob.trouble("ledger")[0]
