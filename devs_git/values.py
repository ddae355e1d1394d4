"""`immutable` and `mutable` make classes of values. Their methods are shared; `dataclasses` compiles six for each class.

That takes time at every start: 0.5 ms or more a class, forty-four classes for a rewind, and about 6 ms for the import of
`dataclasses`. Here one `__init__` a class is compiled, and only if a command makes more than a few values of the class. Type
checkers treat these classes as dataclasses. The functions of `dataclasses` do not know them: use `fields`, `replace` and
`as_mapping` of here.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from operator import attrgetter

# Type checkers take this name for true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import field, replace  # noqa: TID251 - whose types they have
    from typing import Any, Final, Literal, NoReturn, Protocol, TypeVar, dataclass_transform, get_args

    Kind = TypeVar("Kind")
else:
    # To load `typing` takes 2 ms. Clients wait for it before each call of a tool, and people at a prompt.
    Any = Final = Protocol = object
    get_args = tuple

    class Literal:
        """Its names, for `get_args` of here."""

        def __class_getitem__(cls, names):  # noqa: ANN001, ANN204 - as above
            return names if isinstance(names, tuple) else (names,)

    def dataclass_transform(**_facts):  # noqa: ANN003, ANN202 - only type checkers read it
        return lambda made: made


__all__ = (
    "TYPE_CHECKING",
    "Any",
    "Field",
    "Final",
    "Literal",
    "Protocol",
    "WithoutCollector",
    "as_mapping",
    "field",
    "fields",
    "get_args",
    "immutable",
    "is_value",
    "mutable",
    "plain",
    "replace",
)


class WithoutCollector:
    """`with WithoutCollector():` around what makes hundreds of thousands of values.

    They have no cycles, and the collector would look at all of them again and again.
    """

    def __enter__(self) -> None:
        self.was = gc.isenabled()
        gc.disable()

    def __exit__(self, *_error: object) -> None:
        if self.was:
            gc.enable()


_NONE: Final[Any] = object()
_FIELDS: Final = "__value_fields__"
# To compile an `__init__` takes as long as to make about so many values without one.
_FEW: Final = 16


class Field:
    """How one field of a class is filled, compared and shown."""

    __slots__ = ("annotation", "compare", "default", "default_factory", "metadata", "repr")

    def __init__(
        self,
        *,
        default: Any = _NONE,
        default_factory: Callable[[], Any] = _NONE,
        compare: bool = True,
        repr: bool = True,  # noqa: A002 - the names of `dataclasses.field`
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.annotation = ""
        self.default, self.default_factory = default, default_factory
        self.compare, self.repr, self.metadata = compare, repr, metadata or {}

    @property
    def needed(self) -> bool:
        """Whether `__init__` needs a value for it."""
        return self.default is _NONE and self.default_factory is _NONE


# Type checkers use those of `dataclasses`.
if not TYPE_CHECKING:
    field = Field

    def replace(one, /, **changes):  # noqa: ANN001, ANN003, ANN201 - see `fields`
        """A copy of `one` with other values, as `dataclasses.replace` makes it."""
        return type(one)(**{name: getattr(one, name) for name in fields(one)} | changes)


def is_value(one: object) -> bool:
    """Whether it is a value of ours, or a class of such values. It may have no field."""
    return hasattr(one, _FIELDS)


def fields(one: object) -> Mapping[str, Field]:
    """The fields of a value or of its class, in order; none if it is no value of ours."""
    found: Mapping[str, Field] = getattr(one, _FIELDS, {})
    return found


def as_mapping(one: object) -> dict[str, Any]:
    """The value as a mapping, and all values in it, as `dataclasses.asdict` makes it."""
    return {name: _mapped(getattr(one, name)) for name in fields(one)}


def _mapped(inner: Any) -> Any:
    if is_value(inner):
        return as_mapping(inner)
    if isinstance(inner, dict):
        return {key: _mapped(value) for key, value in inner.items()}
    return type(inner)(map(_mapped, inner)) if type(inner) in (tuple, list) else inner


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(kind: type[Kind]) -> type[Kind]:
    """As `@dataclass(frozen=True)`: compared by value, with a hash, never changed."""
    known = _prepared(kind, "_put(self, {name!r}, {name})", object.__setattr__)
    _compare(kind, known, _hash)
    _share(kind, __setattr__=_refuse, __delattr__=_refuse)
    return kind


@dataclass_transform(field_specifiers=(field,))
def mutable(kind: type[Kind]) -> type[Kind]:
    """As `@dataclass`: compared by value, without a hash, may change."""
    known = _prepared(kind, "self.{name} = {name}", setattr)
    _compare(kind, known, None)
    return kind


def _prepared(kind: type, line: str, put: Callable[[Any, str, Any], None]) -> dict[str, Field]:
    """Give `kind` its fields and its `__init__`; the fields of what it inherits from come first."""
    known = dict(fields(kind))
    for name, annotation in kind.__annotations__.items():
        if annotation.startswith("ClassVar"):
            continue
        given = vars(kind).get(name, _NONE)
        known[name] = one = given if isinstance(given, Field) else Field(default=given)
        one.annotation = annotation
        # The class itself has the default, and never our Field.
        if one.default is not _NONE:
            setattr(kind, name, one.default)
        elif given is not _NONE:
            delattr(kind, name)
    setattr(kind, _FIELDS, known)
    kind.__init__ = _Initializer(kind, known, line, put)  # type: ignore[misc]
    _share(kind, __repr__=_repr)
    return known


class _Initializer:
    """The `__init__` of a class for its first values, and until somebody asks for it."""

    def __init__(
        self, kind: type, known: Mapping[str, Field], line: str, put: Callable[[Any, str, Any], None]
    ) -> None:
        self.kind, self.known, self.line, self.put = kind, known, line, put
        self.left = _FEW

    def __get__(self, one: object, kind: type) -> Callable[..., None]:
        self.left -= 1
        # From Python 3.13 on, `inspect.signature` binds it to the class.
        if one is None or isinstance(one, type) or self.left < 0:
            bound: Callable[..., None] = self._compile().__get__(one, kind)
            return bound
        return lambda *given, **named: self._fill(one, given, named)

    def _compile(self) -> Callable[..., None]:
        self.kind.__init__ = made = _compiled(self.kind, self.known, self.line)  # type: ignore[misc]
        return made

    def _fill(self, one: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """What the compiled `__init__` does. If the values do not fit, that one says why."""
        values = dict(zip(self.known, given, strict=False))
        left, rest = len(given) - len(values), dict(named)
        for name, own in self.known.items():
            if name in values:
                pass
            elif name in rest:
                values[name] = rest.pop(name)
            elif own.needed:
                left += 1
            else:
                values[name] = own.default_factory() if own.default is _NONE else own.default
        if left or rest:
            self._compile()(one, *given, **named)
            return
        for name in self.known:
            self.put(one, name, values[name])
        if hasattr(self.kind, "__post_init__"):
            one.__post_init__()


def _compiled(kind: type, known: Mapping[str, Field], line: str) -> Callable[..., None]:
    """`__init__`, compiled so that it has names, order and defaults as if it were written by hand."""
    names: dict[str, Any] = {"_put": object.__setattr__, "_later": _NONE}
    heads, lines = ["self"], []
    for name, one in known.items():
        head = name
        if one.default is not _NONE:
            names[f"_d_{name}"], head = one.default, f"{name}=_d_{name}"
        elif one.default_factory is not _NONE:
            names[f"_f_{name}"], head = one.default_factory, f"{name}=_later"
            lines.append(f"if {name} is _later: {name} = _f_{name}()")
        heads.append(head)
        lines.append(line.format(name=name))
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(heads)}):\n {body}", names)  # noqa: S102 - of names that stand in our own classes
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _compare(kind: type, known: Mapping[str, Field], made: Callable[[Any], int] | None) -> None:
    """Let `kind` be equal by value, with the hash that is `made`; one that writes its own `__eq__` has its own hash, too."""
    compared = [name for name, one in known.items() if one.compare]
    kind.__key__ = attrgetter(*compared or ["__class__"])  # type: ignore[attr-defined]
    if "__eq__" not in vars(kind):
        _share(kind, __eq__=_equal, __hash__=made)


def _share(kind: type, **methods: Any) -> None:
    """Give `kind` those methods that it does not write itself."""
    for name, method in methods.items():
        if name not in vars(kind):
            setattr(kind, name, method)


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__key__(self) == self.__key__(other)


def _hash(self: Any) -> int:
    return hash(self.__key__(self))


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, one in fields(self).items() if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, *_value: object) -> NoReturn:
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be changed")


def plain(value: Any) -> Any:
    """The value with dicts and lists in place of our classes. Fields keep their order; `from_` becomes `from`.

    An optional field that is None is left out.
    """
    if is_value(value):
        found = ((name, one, getattr(value, name)) for name, one in fields(value).items())
        return {
            name.removesuffix("_"): plain(inner)
            for name, one, inner in found
            if inner is not None or not one.metadata.get("optional")
        }
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, (tuple, list)) else value
