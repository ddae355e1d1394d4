"""Which texts may stand in a field, and what a refusal says."""

from __future__ import annotations

import pytest

from devs_git.domain.text import field_values
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick


def test_a_hint_names_the_values_and_not_the_empty_one() -> None:
    assert field_values.check_value("phase", "", among=("", "plan", "execute")) == ""
    with pytest.raises(DevsError) as refused:
        field_values.check_value("phase", "planing", among=("", "plan", "execute"))
    assert (refused.value.message, refused.value.hint) == (
        "'planing' is not a valid phase.",
        "Use one of: plan, execute",
    )
