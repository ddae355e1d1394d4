"""What a call refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.errors import DevsError


def refusal(call: Callable[[], object]) -> DevsError:
    """The error of a call that must be refused."""
    with pytest.raises(DevsError) as caught:
        call()
    return caught.value
