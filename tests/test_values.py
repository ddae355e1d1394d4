"""Our values behave as dataclasses do, which are the oracle: one class written once, and made by both."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import pytest

from devs_git import values
from devs_git.values import as_mapping, field, fields, immutable, is_value, mutable, plain, replace

pytestmark = pytest.mark.quick
MAKERS: dict[str, Any] = {
    "ours": (immutable, field),
    "theirs": (dataclasses.dataclass(frozen=True), dataclasses.field),
}


def made(make: Callable[[type], type], given: Callable[..., Any]) -> Any:
    """The same class by one of the two."""

    class Point:
        """With every kind of field that the project uses."""

        kind: ClassVar[str] = "point"
        name: str
        numbers: tuple[int, ...] = ()
        seen: list[int] = given(default_factory=list)
        known: Any = given(default=None, compare=False, repr=False)
        note: str | None = given(default=None, metadata={"optional": True})

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

        @cached_property
        def total(self) -> int:
            return sum(self.numbers)

    return make(Point)


@pytest.fixture(params=[*sorted(MAKERS), "ours, compiled"])
def point(request: pytest.FixtureRequest) -> Any:
    """The class by ours, and by theirs: what is asserted of one holds for the other."""
    maker, _, compiled = request.param.partition(", ")
    kind = made(*MAKERS[maker])
    if compiled:
        assert kind.__init__  # asked for, so it is compiled
    return kind


def test_two_are_equal_by_what_is_compared_and_have_one_hash(point: Any) -> None:
    one, other = point("a", (1, 2), known=3), point("a", numbers=(1, 2), known=4)
    assert one == other
    assert one != point("a", (1, 3))
    assert one != ("a", (1, 2), [], None)
    small = point("a", seen=())
    assert hash(small) == hash(point("a", seen=(), known=1))
    assert len({small, point("a", seen=())}) == 1


def test_nothing_of_it_can_be_changed(point: Any) -> None:
    one = point("a")
    with pytest.raises(AttributeError):
        one.name = "b"
    with pytest.raises(AttributeError):
        del one.name
    with pytest.raises(AttributeError):
        one.other = "b"
    assert one.name == "a"


def test_a_default_that_is_made_is_made_for_each(point: Any) -> None:
    one, other = point("a"), point("a")
    one.seen.append(1)
    assert other.seen == []
    assert not hasattr(point, "seen")
    assert point.numbers == ()


def test_it_says_itself_as_python_would_write_it(point: Any) -> None:
    assert repr(point("a", (1,))).endswith("Point(name='a', numbers=(1,), seen=[], note=None)")


def test_what_it_needs_is_asked_for_by_name_and_in_order(point: Any) -> None:
    assert list(inspect.signature(point).parameters) == ["name", "numbers", "seen", "known", "note"]
    with pytest.raises(ValueError, match="no name"):
        point("")


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ((), {}, "missing 1 required positional argument: 'name'"),
        (("a",), {"nobody": 1}, "unexpected keyword argument 'nobody'"),
        (("a",), {"name": "b"}, "multiple values for argument 'name'"),
        (("a", (), [], 1, "", "b"), {}, "takes from 2 to 6 positional arguments but 7 were given"),
    ],
)
def test_values_that_do_not_fit_are_named(
    point: Any, given: tuple[Any, ...], named: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        point(*given, **named)


def test_a_copy_with_another_value_is_checked_like_a_new_one(point: Any) -> None:
    change = replace if fields(point) else dataclasses.replace
    one = point("a", (1, 2), known=3)
    assert one.total == 3
    other = change(one, numbers=(4,))
    assert (other.name, other.numbers, other.known, other.total) == ("a", (4,), 3, 4)
    with pytest.raises(ValueError, match="no name"):
        change(one, name="")
    with pytest.raises(TypeError):
        change(one, nobody=1)


def test_it_becomes_a_mapping_with_all_values_in_it(point: Any) -> None:
    change = as_mapping if fields(point) else dataclasses.asdict
    one = point("a", (1,), [point("b"), {"c": (point("c"),)}])
    small: dict[str, Any] = {"numbers": (), "seen": [], "known": None, "note": None}
    within = [{"name": "b", **small}, {"c": ({"name": "c", **small},)}]
    assert change(one) == {"name": "a", "numbers": (1,), "seen": within, "known": None, "note": None}
    assert list(change(one)) == ["name", "numbers", "seen", "known", "note"]


def test_a_value_without_fields_is_a_value_like_any_other() -> None:
    @immutable
    class Nothing:
        """Nothing to say."""

    @immutable
    class Holder:
        """Something with nothing in it."""

        inner: Nothing

    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1
    assert as_mapping(Holder(Nothing())) == {"inner": {}}
    assert plain(Holder(Nothing())) == {"inner": {}}
    assert is_value(Nothing)
    assert not is_value(object())


def test_a_field_tells_what_it_is() -> None:
    known = fields(made(immutable, field))
    assert [name for name, one in known.items() if one.needed] == ["name"]
    assert known["note"].metadata == {"optional": True}
    assert known["numbers"].annotation == "tuple[int, ...]"
    assert fields(object()) == {}


@pytest.mark.parametrize("maker", sorted(MAKERS))
def test_what_is_inherited_comes_first(maker: str) -> None:
    make, given = MAKERS[maker]
    base = made(make, given)

    class Child(base):  # type: ignore[misc, valid-type]
        """One more, and another default."""

        numbers: tuple[int, ...] = (7,)
        more: int = 0

    child = make(Child)
    names = ["name", "numbers", "seen", "known", "note", "more"]
    assert list(inspect.signature(child).parameters) == names
    assert child("a", more=1).numbers == (7,)
    assert child("a") != base("a", (7,))
    assert base("a").numbers == ()


def test_a_mutable_one_is_equal_by_value_and_has_no_hash() -> None:
    @mutable
    class Count:
        """Something that is counted."""

        so_far: int = 0

    one = Count()
    one.so_far += 1
    assert one.so_far == 1
    assert one == Count(1)
    with pytest.raises(TypeError, match="unhashable type: 'Count'"):
        hash(one)
    assert as_mapping(one) == {"so_far": 1}


def test_a_class_of_which_few_values_are_made_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start of the program pays for the classes that it uses, and not for all that it imports."""
    compiled: list[str] = []
    compile_it = values._compiled

    def noted(kind: type, *rest: Any) -> Callable[..., None]:
        compiled.append(kind.__name__)
        return compile_it(kind, *rest)

    monkeypatch.setattr(values, "_compiled", noted)
    base = made(immutable, field)

    class Child(base):  # type: ignore[misc, valid-type]
        """It has no `__init__` of its own."""

    assert (Child("a").name, Child("b").name, base("c").name) == ("a", "b", "c")
    assert compiled == []
    assert {base("d").name for _ in range(values._FEW)} == {"d"}
    assert (Child("e"), base("e")) == (Child("e"), base("e"))
    assert compiled == ["Point"]
