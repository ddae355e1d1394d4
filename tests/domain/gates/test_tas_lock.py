"""Which sections of a changed TAS nobody approved."""

from __future__ import annotations

import pytest

from devs_git.domain.gates.tas_lock import Revision, unapproved_sections

pytestmark = pytest.mark.quick

TEXTS = {
    None: "",
    "base": "# Dates\nold\n# Storage\nold\n# Access\nold\n",
    "dates": "# Dates\nnew\n# Storage\nold\n# Access\nold\n",
    "storage": "# Dates\nold\n# Storage\nnew\n# Access\nold\n",
    "both": "# Dates\nnew\n# Storage\nnew\n# Access\nold\n",
    "other": "# Dates\nnew\n# Storage\nmine\n# Access\nold\n",
    "all": "# Dates\nnew\n# Storage\nnew\n# Access\nnew\n",
}
DATES = Revision("base", None, ("Dates",))
STORAGE = Revision("base", None, ("Storage",))
LANDED = Revision("base", "storage", ("Storage",))
TEXT = Revision("base", "both", ("Dates", "Storage"))


@pytest.mark.parametrize(
    ("old", "new", "revisions", "left"),
    [
        ("base", "dates", (), ("Dates",)),
        ("base", "all", (), ("Dates", "Storage", "Access")),
        (None, "base", (), ()),
        ("base", None, (), ("Dates", "Storage", "Access")),
        ("base", "dates", (DATES,), ()),
        ("base", "storage", (DATES,), ("Storage",)),
        ("base", "both", (DATES,), ("Storage",)),
        ("base", "both", (DATES, STORAGE), ()),
        ("dates", "both", (DATES, STORAGE), ()),
        ("storage", "both", (DATES,), ("Storage",)),  # what was slipped in before is no base
        ("dates", "base", (DATES,), ()),  # back to what the revision was asked against
        ("base", "both", (TEXT,), ()),
        ("base", "dates", (TEXT,), ("Dates",)),  # a text was approved, and nothing else
        ("dates", "both", (TEXT,), ("Storage",)),
        ("dates", None, (DATES,), ("Storage", "Access")),
        # A text that was approved for a section is no licence to write another there …
        ("storage", "other", (DATES, LANDED), ("Storage",)),
        ("both", "other", (DATES, LANDED), ("Storage",)),
        # … while what was approved without a text before goes on beside it, and in one commit with it.
        ("storage", "both", (DATES, LANDED), ()),
        ("base", "both", (DATES, LANDED), ()),
        ("dates", "both", (DATES, LANDED), ()),
        # And it is not taken back under the approval of another section.
        ("storage", "dates", (DATES, LANDED), ("Storage",)),
        ("both", "dates", (DATES, LANDED), ("Storage",)),
        ("all", "dates", (DATES,), ()),  # but what nobody approved may be
    ],
)
def test_what_is_left_without_an_approval(
    old: str | None, new: str | None, revisions: tuple[Revision, ...], left: tuple[str, ...]
) -> None:
    assert unapproved_sections(old, new, revisions, TEXTS.__getitem__) == left
