"""Whether a client runs the hooks of this project: decided from what the client itself says, or from its settings files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from devs_git.domain.clients.client import MARKS, SERVER, Client
from devs_git.values import immutable

State = Literal["trusted", "untrusted", "off", "unknown"]
# What `codex app-server` says of hooks that run.
_RUNNING: Final = frozenset({"trusted", "managed"})
# What a person types and chooses in Codex 0.169 and 0.171.
CODEX_FIX: Final = (
    "codex, and choose 'Trust and continue' for the folder and 'Trust all and continue' for the hooks "
    "(later: /hooks, then the key t)"
)


@immutable
class Trust:
    """Whether the client runs our hooks here, the reason in words, and what a person does about it ('' for nothing).

    `untrusted`: a person has to trust something first. `off`: a setting keeps the client from running them. `unknown`:
    nobody could be asked.
    """

    state: State
    text: str
    fix: str = ""


def of_codex(answer: Any, client: Client) -> Trust:
    """What the answer to `hooks/list` of `codex app-server` says of our lines in the project's hooks file.

    In a linked worktree Codex takes the file of the main one, so the file's path says nothing.
    """
    hooks = [hook for hook in _hooks(answer) if hook.get("source") == "project" and _is_ours(hook)]
    if not hooks:
        text = "Codex runs no hook of this project, because the project is not trusted, or hooks are off in Codex."
        return Trust("untrusted", text, CODEX_FIX)
    waiting = [hook for hook in hooks if hook.get("trustStatus") not in _RUNNING]
    if waiting:
        changed = any(hook.get("trustStatus") == "modified" for hook in waiting)
        why = "were changed after you trusted them" if changed else "are not trusted"
        text = f"Codex does not run our hooks: {len(waiting)} of {len(hooks)} {why}. Codex itself does not say so."
        return Trust("untrusted", text, CODEX_FIX)
    if off := [hook for hook in hooks if hook.get("enabled") is False]:
        text = f"{len(off)} of {len(hooks)} hooks of ours are turned off in Codex."
        return Trust("off", text, "codex, then type /hooks and turn them on")
    if len(hooks) < len(client.events):
        text = f"Codex knows {len(hooks)} of {len(client.events)} hooks of ours."
        return Trust("unknown", text, "devs-git agent install codex")
    return Trust("trusted", f"Codex trusts the project and all {len(hooks)} hooks of ours.")


def _hooks(answer: Any) -> Iterable[Mapping[str, Any]]:
    result = answer.get("result") if isinstance(answer, dict) else None
    places = result.get("data") if isinstance(result, dict) else None
    for place in places if isinstance(places, list) else ():
        hooks = place.get("hooks") if isinstance(place, dict) else None
        yield from (hook for hook in (hooks if isinstance(hooks, list) else ()) if isinstance(hook, dict))


def _is_ours(hook: Mapping[str, Any]) -> bool:
    return any(mark in str(hook.get("command", "")) for mark in MARKS)


def of_claude(managed: Sequence[tuple[str, Any]], settings: Sequence[tuple[str, Any]]) -> Trust:
    """What the settings files of Claude Code say: names and contents, the weaker first.

    `managed` are those of the machine's administrator. Of the others the last one that names `disableAllHooks` counts;
    the lists of refused servers are joined (seen in the package of Claude Code 2.1.330).
    """
    for name, found in managed:
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if _value(found, key) is True:
                text = f"Claude Code runs no hook of this project: {name} sets {key}."
                return Trust("off", text, "Ask whoever manages this machine")
    saying = [(name, _value(found, "disableAllHooks")) for name, found in settings]
    saying = [(name, value) for name, value in saying if isinstance(value, bool)]
    if saying and saying[-1][1]:
        name = saying[-1][0]
        return Trust(
            "off",
            f"Claude Code runs no hook: {name} sets disableAllHooks.",
            f"Remove disableAllHooks from {name}",
        )
    for name, found in (*managed, *settings):
        refused = _value(found, "disabledMcpjsonServers")
        if isinstance(refused, list) and SERVER in refused:
            text = f"Claude Code runs our hooks, but it does not start our MCP server: {name} names {SERVER} in disabledMcpjsonServers."
            return Trust("off", text, f"Remove {SERVER} from disabledMcpjsonServers in {name}")
    return Trust(
        "trusted",
        "No settings file turns our hooks off. At a terminal Claude Code asks once whether you trust the folder.",
    )


def _value(found: Any, key: str) -> Any:
    return found.get(key) if isinstance(found, dict) else None
