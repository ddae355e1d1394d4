"""What a person or an agent may give as a title, a message or another field: its length and its characters."""

from __future__ import annotations

import re
from typing import Final

from devs_git.errors import invalid

# Characters of a title, contract or client.
MAX_VALUE: Final = 200
# One line, with whatever space around it, in words that every reader of patterns knows.
_SPACE: Final = r"[\t-\r ]*"
VALUE_FORM: Final = rf"{_SPACE}[^\x00-\x1f\x7f-\x9f\u2028\u2029]*{_SPACE}"
# The id of a session: it has no space.
SESSION_FORM: Final = r"[^\u0000-\u0020\u007f-\u009f\u2028\u2029]{1,200}"
# Characters of a message, plan or result.
MAX_TEXT: Final = 100_000


def check_value(field: str, value: str, *, among: tuple[str, ...] = ()) -> str:
    """`value`, if it can be a trailer's value and is one of `among`; else INVALID_ARGUMENTS for `field`."""
    if len(value) > MAX_VALUE:
        raise invalid(field, f"The {field} has at most {MAX_VALUE} characters; this one has {len(value)}.")
    if not re.fullmatch(VALUE_FORM, value):
        raise invalid(field, f"The {field} must be one line without control characters.")
    if among and value not in among:
        hint = "Use one of: " + ", ".join(filter(None, among))
        raise invalid(field, f"{value!r} is not a valid {field}.", hint=hint)
    return check_body(field, value.strip())


def check_body(field: str, value: str, *, longest: int = MAX_TEXT) -> str:
    """`value`, if it is text that can be stored; else INVALID_ARGUMENTS for `field`."""
    if len(value) > longest:
        raise invalid(field, f"The {field} has at most {longest} characters; this one has {len(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise invalid(field, f"The {field} is not UTF-8 text.") from error
    if "\0" in value:
        raise invalid(field, f"The {field} cannot have NUL characters.")
    return value
