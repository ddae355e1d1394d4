"""Router and entry points read optional members of requests and results by their bases: see `devs_git.domain.verbs`."""

from __future__ import annotations

import importlib

import pytest

from devs_git.domain.verbs import VERBS, VerbRequest, VerbResult
from devs_git.values import fields, is_value

pytestmark = pytest.mark.quick
MODULES = [importlib.import_module(verb.module) for verb in VERBS.values()]


def test_every_request_has_the_base_that_the_router_reads() -> None:
    assert [module.__name__ for module in MODULES if not issubclass(module.Request, VerbRequest)] == []


def test_a_result_with_a_member_that_entry_points_read_has_the_base() -> None:
    read = {"not_believed", "blocked_by"}
    found = [
        kind
        for module in MODULES
        for kind in vars(module).values()
        if isinstance(kind, type) and is_value(kind) and read & set(fields(kind))
    ]
    assert len(found) > 8
    assert [kind for kind in found if not issubclass(kind, VerbResult)] == []


@pytest.mark.parametrize("verb", ["rewind", "undo", "snapshot prune", "trace prune", "purge"])
def test_a_request_becomes_a_dry_run_and_stays_the_same_otherwise(verb: str) -> None:
    kind = importlib.import_module(VERBS[verb].module).Request
    needed = {
        "rewind": {"target": "task-10"},
        "snapshot prune": {"older_than": "1d"},
        "trace prune": {"older_than": "1d"},
    }
    request = kind(**needed.get(verb, {"path": "secret.env"} if verb == "purge" else {}))
    assert not request.dry_run
    assert request.as_dry_run() == kind(**vars(request) | {"dry_run": True})


@pytest.mark.parametrize("change", ["as_dry_run", "bound_to", "from_folder"])
def test_a_request_refuses_a_member_that_its_verb_does_not_have(change: str) -> None:
    request = importlib.import_module(VERBS["log"].module).Request()
    values = () if change == "as_dry_run" else ("x",)
    with pytest.raises(TypeError):
        getattr(request, change)(*values)
