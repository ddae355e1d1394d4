"""The five places that judge a ledger, with real git. Each must judge as the reference does.

They are: the hook of a server that receives a push; `sync`; `init` in a fresh clone; hooks and commands of a clone into
which `git fetch` brought the ledger; `verify`. Each function returns the result: REFUSED, FROZEN or NOT_FROZEN.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from devs_git.commands import init, sync, task_start, verify
from devs_git.domain.gates.policy import FIRST
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.workspace import Workspace
from tests.support import repository_copy
from tests.support.agent_calls import before, call
from tests.support.belief.abstract_ledger import Policy
from tests.support.belief.case import FROZEN, NOT_FROZEN, REFUSED, Case, commits, merge_as_sync_did
from tests.support.belief.findings import forged_events, rollback
from tests.support.belief.oracle import Oracle
from tests.support.belief.records import events_added_twice
from tests.support.git_calls import attempt, git


def code(error: DevsError | None) -> str:
    return error.code if error else ""


def refusal_of(verb: str, top: Path, request: VerbRequest) -> DevsError | None:
    """The refusal of a verb; None if it runs."""
    try:
        router.call(verb, Workspace.open(top), request)
    except DevsError as error:
        return error
    return None


def server(case: Case) -> str:
    """Push the ledger to a server with our hook, which has an older tip or no ledger. Then push a branch, which an open gate stops."""
    where = case.folder / "server.git"
    repository_copy.folder(case.moulds.server, where)
    new, old = case.new(), case.honest_event() if case.dice.random() < 0.9 else ""
    if old:
        git("fetch", "-q", "../origin.git", f"{case.ref(old)}:{LEDGER}", where=where)
    status, said = attempt(
        "push", "-q", "--force", "../server.git", f"{case.ref(new)}:{LEDGER}", where=case.written.store
    )
    refused = old != new and case.is_refused(new, old)
    assert (status != 0) == refused, case.description(old, new, said)
    if refused:
        assert "devs-git: " in said, said
        assert git("rev-parse", "-q", "--verify", LEDGER, where=where, ok=(0, 1)) == (
            case.oid(old) if old else ""
        )
        return REFUSED
    case.holds(where, new)
    frozen = any(path.startswith("open/") for path in case.expected_files(new))
    status, said = attempt(
        "push", "-q", "--no-verify", str(where), "HEAD:refs/heads/main", where=case.moulds.clone
    )
    assert (status != 0) == frozen, case.description(new, said)
    assert status == 0 or "GATE_BLOCKED" in said, said
    return FROZEN if frozen else NOT_FROZEN


def sync_with_a_remote(case: Case) -> str:
    """`sync` in a clone that has a tip of its own and saw an earlier tip of the remote."""
    new = case.new()
    mine = case.honest_event(above=new) if case.dice.random() < 0.5 else case.honest_event()
    seen = mine if case.dice.random() < 0.3 else case.honest_event(below=mine)
    top = case.clone(mine)
    git("update-ref", "refs/devs/remotes/origin/ledger", case.oid(seen), where=top)
    case.offer(new)
    error = refusal_of("sync", top, sync.Request())
    oracle, tip = Oracle(case.ledger), mine
    if new in oracle.ancestors(mine):
        merged = any(
            len(case.ledger.parents(event)) > 1 for event in oracle.ancestors(mine) - oracle.ancestors(new)
        )
        refused = seen not in oracle.ancestors(new) or (merged and bool(rollback(oracle, new, mine)))
    else:
        refused = case.is_refused(new, mine, seen)
        tip = new
    assert bool(error) == refused, case.description(mine, seen, new, error)
    if error:
        assert git("rev-parse", LEDGER, where=top) == case.oid(mine)
        return REFUSED
    if mine not in oracle.ancestors(tip):
        tip = merge_as_sync_did(case, new, mine, top)
    case.holds(top, tip)
    assert git("rev-parse", LEDGER, where=case.written.store) == git("rev-parse", LEDGER, where=top)
    return case.answers(top, tip)


def init_of_a_fresh_clone(case: Case) -> str:
    """`init` in a clone that saw no ledger before. `devs-policy.yaml` names this ledger, another one, or a policy that is not in force."""
    how = case.dice.choice(("same", "same", "other ledger", "other policy"))
    oracle, tip = Oracle(case.ledger), case.tip
    first, now = oracle.ledger.tree("e1")["policy.yaml"], oracle.in_force(tip)
    tracked = first if how == "other policy" else now
    top = fresh(case, tracked, "a" * 40 if how == "other ledger" else case.oid("e1"))
    error = refusal_of("init", top, init.Request())
    if case.is_refused(tip) or how == "other ledger":
        assert error, case.description(how)
    elif case.ledger.what[tracked] != case.ledger.what[now]:
        assert code(error) == "CONFLICT", case.description(how, error)
    else:
        assert not error, case.description(how, error)
    if error:
        assert git("rev-parse", "-q", "--verify", LEDGER, where=top, ok=(0, 1)) == ""
        return REFUSED
    assert git("merge-base", LEDGER, case.oid(tip), where=top) == case.oid(tip)
    case.holds(top, tip)
    return case.answers(top, tip)


def fresh(case: Case, tracked: str, first: str) -> Path:
    """A clone of a remote whose default branch tracks this policy."""
    store, top = case.written.store, case.folder / "fresh"
    content = case.ledger.what[tracked]
    assert isinstance(content, Policy)
    text = yaml_documents.dump({**case.written.record(content), FIRST: first}, "policy").decode()
    stream = f"commit refs/heads/main\ncommitter A <a@b.c> 981173106 +0000\ndata 0\nM 100644 inline devs-policy.yaml\ndata {len(text.encode())}\n{text}\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=store, input=stream.encode(), check=True)
    case.offer(case.tip)
    git("clone", "-q", os.fspath(store), "fresh", where=case.folder)
    return top


def hooks_after_a_plain_fetch(case: Case) -> str:
    """A commit, a tool of an agent and a verb, in a clone after `git fetch` moved its ledger."""
    old, new = case.honest_event(), case.new()
    top = case.clone(old)
    git("fetch", "-q", "../origin.git", f"+{case.ref(new)}:{LEDGER}", where=top)
    refused = new != old and case.is_refused(new, old)
    denied = agent(top)
    if refused:
        assert denied, case.description(old, new)
        assert not commits(top), case.description(old, new)
        error = refusal_of("task start", top, task_start.Request("12"))
        assert error, case.description(old, new)
        assert (top / ".git/devs/checked-tip").read_text().strip() == case.oid(old)
        return REFUSED
    case.holds(top, new)
    found = case.answers(top, new)
    assert bool(denied) == (found == FROZEN), case.description(old, new, denied)
    error = refusal_of("task start", top, task_start.Request("12"))
    assert code(error) == ("GATE_BLOCKED" if found == FROZEN else ""), case.description(old, new, error)
    return found


def agent(top: Path) -> str:
    """The reason with which our hook denies a tool that writes; '' if the tool may run."""
    said = call(top, before("Write"))
    return said.denied or (said.err if said.status else "")


def verify_the_ledger(case: Case) -> str:
    """`verify`: the findings are exactly the forged events.

    If a gate was requested twice, or if there are two roots, the rule does not say which of the two is right. Then `verify` may
    find more.
    """
    top = case.clone(case.tip)
    result = verify.run(Workspace.open(top), verify.Request(("ledger",)))
    found = {one.ref for one in result.findings if one.severity == "error"}
    bad = forged_events(Oracle(case.ledger.up_to(case.tip)))
    expected = {case.oid(event) for event in bad}
    twice = events_added_twice(bad) or sum(not event.parents for event in case.ledger.events.values()) > 1
    assert found >= expected if twice else found == expected, case.description(result.findings)
    if found:
        return REFUSED
    case.holds(top, case.tip)
    return case.answers(top, case.tip)


PLACES = {
    "server": server,
    "sync": sync_with_a_remote,
    "init": init_of_a_fresh_clone,
    "fetch": hooks_after_a_plain_fetch,
    "verify": verify_the_ledger,
}
