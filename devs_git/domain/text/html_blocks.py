"""Where an HTML block begins in a Markdown text, by CommonMark, and what an attribute of a tag looks like there."""

from __future__ import annotations

import re
from typing import Final

_BLOCKS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_TAG: Final = re.compile(rf" {{0,3}}</?(?:{_BLOCKS})(?:[ \t]|/?>|$)", re.IGNORECASE)
_VALUE: Final = r"""(?:[^ \t"'=<>`]+|'[^']*'|"[^"]*")"""
_ATTRIBUTE: Final = rf"[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t]*=[ \t]*{_VALUE})?"
# The same within a paragraph, whose lines it may cross.
ATTRIBUTE: Final = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
_ANY_TAG: Final = re.compile(
    rf" {{0,3}}(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*"
)
# What begins an HTML block that only its own end closes.
_HTML: Final = re.compile(
    r" {0,3}<(?:(?:pre|script|style|textarea)(?:[ \t>]|$)|!--|\?|!\[CDATA\[|![A-Za-z])", re.IGNORECASE
)


def begins_html(line: str) -> bool:
    """Whether an HTML block begins with this line, if no paragraph is before it."""
    return any((_HTML.match(line), _TAG.match(line), _ANY_TAG.fullmatch(line)))
