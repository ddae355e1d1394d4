"""Events of directives: a person wrote one for a task, or took one back. The text is in `directives/<directive_id>.yaml`."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields
from devs_git.values import immutable


@immutable
class DirectiveAdded:
    """A person wrote a directive for the agent of a task. `directive` is its id."""

    type: ClassVar[str] = "directive.added"
    directive: str
    task: str

    def fields(self) -> Fields:
        return ((Key.DIRECTIVE, self.directive), (Key.TASK, self.task))

    @classmethod
    def of(cls, event: Event) -> DirectiveAdded:
        return cls(event.get(Key.DIRECTIVE), event.task)


@immutable
class DirectiveWithdrawn:
    """A person took a directive back: from now on it is not handed over."""

    type: ClassVar[str] = "directive.withdrawn"
    directive: str
    task: str

    def fields(self) -> Fields:
        return ((Key.DIRECTIVE, self.directive), (Key.TASK, self.task))

    @classmethod
    def of(cls, event: Event) -> DirectiveWithdrawn:
        return cls(event.get(Key.DIRECTIVE), event.task)


TYPES = (DirectiveAdded.type, DirectiveWithdrawn.type)
