"""The prompts of sessions: the messages that a person wrote, with the times of the messages around them.

A fork has the prompts of its beginning, too. Such a prompt was said in the session that was forked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from devs_git.domain.moments.moment import WORDS
from devs_git.domain.moments.named_moment import Turn
from devs_git.domain.recall.conversation import is_prompt
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import message_in

# The message after a prompt is the earliest one: a fork may go on much later than the session itself.
_PROMPTS: Final = """
SELECT m.session_id, coalesce((SELECT worktree FROM sessions WHERE session_id = m.session_id), s.worktree), m.created_at,
  coalesce((
    SELECT b.created_at FROM paths q JOIN messages b ON b.number = q.number
    WHERE q.session_id = p.session_id AND q.position = p.position - 1
  ), ''),
  coalesce((
    SELECT min(n.created_at) FROM paths o JOIN paths q ON q.session_id = o.session_id AND q.position = o.position + 1
    JOIN messages n ON n.number = q.number WHERE o.number = p.number
  ), ''),
  p.position, m.message_id, m.role, m.body
FROM paths p JOIN messages m ON m.number = p.number JOIN sessions s ON s.session_id = p.session_id
WHERE m.role = 'user' AND """
_LAST: Final = """
SELECT l.number FROM sessions t JOIN paths l ON l.session_id = t.session_id JOIN messages k ON k.number = l.number
WHERE t.worktree = ? AND instr(t.session_id, '/') = 0 AND k.role = 'user' ORDER BY k.created_at DESC, k.number DESC LIMIT ?"""


def sessions_beginning_with(catalog: Catalog, beginning: str) -> tuple[str, ...]:
    """The sessions whose ids begin so, the last used first; no sessions of subagents."""
    found = catalog.rows(
        "SELECT session_id FROM sessions WHERE substr(session_id, 1, ?) = ? AND instr(session_id, '/') = 0 "
        "ORDER BY seen_at DESC",
        len(beginning),
        beginning,
    )
    return tuple(row[0] for row in found)


def turns(catalog: Catalog, session_id: str) -> tuple[Turn, ...]:
    """The turns of a session, in their order."""
    return _turns(catalog.rows(f"{_PROMPTS} p.session_id = ? ORDER BY p.position", session_id))


def last_turns(catalog: Catalog, worktree: str, most: int) -> tuple[Turn, ...]:
    """The last turns of all sessions that last worked in a worktree, newest first."""
    # Some are no prompts.
    found = catalog.rows(
        f"{_PROMPTS} p.session_id = m.session_id AND p.number IN ({_LAST}) "
        "ORDER BY m.created_at DESC, m.number DESC",
        worktree,
        2 * most,
    )
    return _turns(found)[:most]


def _turns(found: Iterable[tuple[Any, ...]]) -> tuple[Turn, ...]:
    return tuple(
        Turn(session, worktree, said_at, before, until, (said.content or "").strip()[:WORDS], position)
        for session, worktree, said_at, before, until, position, *message in found
        if is_prompt(said := message_in(*message))
    )
