"""Which approvals each line of history has used, and what still leads on from there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from devs_git.domain.gates.tas_approvals import Stop, Ways
from devs_git.domain.gates.tas_lock import Revision

pytestmark = pytest.mark.quick

# Approvals by their bits: 1, 2, 4, 8, 16.
WAYS = Ways(Revision(one[0], one[1:] or None, ()) for one in ("xy", "yx", "xy", "yz", "x"))


def line(*texts: str | None, free: str = "") -> list[dict[str | None, int]]:
    """What was used below each commit of one line with these texts."""
    stops = [Stop(str(at), (str(at - 1),) if at else (), text) for at, text in enumerate(texts)]
    return [dict(one) for one in WAYS.used(stops, lambda commit: commit in free).values()]


@pytest.mark.parametrize(
    ("texts", "used"),
    [
        (("x", "y"), 0),
        (("x", "y", "x"), 1),
        (("x", "y", "x", "y"), 3),  # the third approval leads there again
        (("x", "y", "x", "y", "x"), 7),  # nothing leads back a second time
        (("x", "y", "x", "y", "x", "y"), 6),  # which somebody did all the same, as an undo
        (("x", "z", "x"), 9),  # two landings in one commit
        (("x", "z", "x", "y"), 0),  # taken back, with no approval
        (("x", "w", "x", "y"), 0),
        ((None, "x", None, "x", "y"), 0),
    ],
)
def test_each_approval_leads_on_once_on_a_line(texts: tuple[str | None, ...], used: int) -> None:
    assert line(*texts)[-1] == {texts[-2]: used}


def test_what_needed_nobody_used_nothing() -> None:
    assert line("x", "y", "x", "y", free="12")[-1] == {"x": 0}


def test_a_merge_has_used_what_any_of_its_lines_did() -> None:
    stops = [
        Stop("root", (), "x"),
        Stop("landing", ("root",), "y"),
        Stop("back", ("landing",), "x"),
        Stop("copy", ("root",), "y"),
        Stop("merge", ("back", "copy"), "x"),
        Stop("next", ("merge",), "y"),
    ]
    found = WAYS.used(stops, lambda _commit: False)
    assert found["copy"] == {"x": 0}
    assert found["merge"] == {"x": 3, "y": 1}
    assert found["next"] == {"x": 3}


def test_what_a_merge_takes_over_the_other_side_used() -> None:
    """Not what was approved afterwards, for the same two texts."""
    ways = Ways(Revision(one[0], one[1], ()) for one in ("xz", "zy", "yx", "xy"))
    stops = [
        Stop("root", (), "x"),
        Stop("first", ("root",), "z"),
        Stop("second", ("first",), "y"),
        Stop("merge", ("root", "second"), "y"),
        Stop("third", ("merge",), "x"),
        Stop("fourth", ("third",), "y"),
    ]
    found = ways.used(stops, lambda _commit: False)
    assert (found["merge"], found["third"], found["fourth"]) == ({"x": 0, "y": 3}, {"y": 3}, {"x": 7})


def test_the_way_of_the_oldest_approvals_is_taken_among_what_is_left() -> None:
    ways = Ways(Revision(one[0], one[1], ()) for one in ("xy", "yz", "xz", "xx"))
    assert [ways.way("x", "z"), ways.way("x", "z", ~1), ways.way("x", "z", ~5)] == [3, 4, 0]
    assert [ways.way("z", "x"), ways.way("x", "x"), ways.way(None, "x")] == [0, 0, 0]


Line = tuple[list[int], str]  # the approvals that it has, in their order, and its newest commit


@dataclass
class Honest:
    """Lines on which approvals land; each takes over from another what that has more, one by one, squashed or by a merge."""

    dice: random.Random
    gates: list[tuple[str, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=lambda: [([], "root")])
    stops: list[Stop] = field(default_factory=lambda: [Stop("root", (), "x")])
    steps: list[tuple[str, str, str]] = field(default_factory=list)

    def text(self, has: list[int]) -> str:
        return self.gates[has[-1]][1] if has else "x"

    def go_on(self) -> None:
        number = self.dice.randrange(len(self.lines))
        has, tip = self.lines[number]
        how = self.dice.choice(("land", "land", "part", "copy", "squash", "merge"))
        ahead = [(more, at) for more, at in self.lines if len(more) > len(has) and more[: len(has)] == has]
        if how == "part" and len(self.lines) < 4:
            self.lines.append((has, tip))
        elif how == "land":
            self.gates.append((self.text(has), self.dice.choice("xyz".replace(self.text(has), ""))))
            self.move(number, [*has, len(self.gates) - 1], (tip,))
        elif ahead and how != "part":
            more, at = self.dice.choice(ahead)
            most = len(has) + 1 if how == "copy" else len(more)
            least = most if how != "squash" else len(has) + 1
            here = more[: self.dice.randint(least, most)]
            self.move(number, here, (tip, at) if how == "merge" else (tip,))

    def move(self, number: int, has: list[int], parents: tuple[str, ...]) -> None:
        old, new, name = self.text(self.lines[number][0]), self.text(has), str(len(self.stops))
        self.lines[number] = (has, name)
        self.stops.append(Stop(name, parents, new))
        self.steps.append((name, old, new))


def test_no_approval_is_missing_where_all_lines_are_honest() -> None:
    for seed in range(300):
        honest = Honest(random.Random(seed))
        for _ in range(30):
            honest.go_on()
        ways = Ways(Revision(old, new, ()) for old, new in honest.gates)
        used = ways.used(honest.stops, lambda _commit: False)
        for name, old, new in honest.steps:
            assert old == new or ways.way(old, new, ~used[name].get(old, 0)), (seed, name, honest.stops)
