"""A report in which what looks like a secret is masked, in each text that somebody wrote."""

from __future__ import annotations

from typing import Any

from devs_git.domain.ledger import ids
from devs_git.storage.documents import secrets
from devs_git.values import fields, is_value


def mask(one: Any) -> Any:
    """The same value with each text masked, also in the values and tuples within it. INVALID_ARGUMENTS without the detector."""
    if isinstance(one, str):
        return one if not one or ids.is_oid(one) else secrets.mask(one)
    if isinstance(one, tuple):
        return tuple(mask(part) for part in one)
    if not is_value(one):
        return one
    changed = {name: mask(getattr(one, name)) for name in fields(one)}
    return type(one)(**changed)
