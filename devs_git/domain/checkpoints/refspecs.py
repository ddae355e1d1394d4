"""Which refs the refspecs of a remote take, by git's rules."""

from __future__ import annotations

from collections.abc import Iterable


def fetches(specs: Iterable[str], ref: str) -> bool:
    """Whether a fetch with these refspecs writes the local `ref`. With `--prune`, it deletes the ref if the remote lacks it."""
    positive, negative = _split(specs)
    for spec in positive:
        source, _, target = spec.partition(":")
        star = _star(target, ref)
        if star is not None and not _any(negative, source.replace("*", star, 1)):
            return True
    return False


def pushes(specs: Iterable[str], ref: str) -> bool:
    """Whether a push with these refspecs sends the local `ref`."""
    positive, negative = _split(specs)
    return any(_star(spec.partition(":")[0], ref) is not None for spec in positive) and not _any(
        negative, ref
    )


def _split(specs: Iterable[str]) -> tuple[list[str], list[str]]:
    every = list(specs)
    return (
        [spec.removeprefix("+") for spec in every if not spec.startswith("^")],
        [spec[1:] for spec in every if spec.startswith("^")],
    )


def _any(patterns: Iterable[str], ref: str) -> bool:
    return any(_star(pattern, ref) is not None for pattern in patterns)


def _star(pattern: str, ref: str) -> str | None:
    """What stands for the `*` of a pattern if it names the ref; '' for a pattern without one. None if it does not name it."""
    begin, star, end = pattern.partition("*")
    if not star:
        return "" if pattern == ref else None
    fits = ref.startswith(begin) and ref.endswith(end) and len(ref) >= len(begin) + len(end)
    return ref[len(begin) : len(ref) - len(end)] if fits else None
