"""Troubleshooting of traces, conversations and agents' clients: what each code means, and what to type."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Traces, conversations and agents"
TEXTS: Final[dict[str, str]] = {
    "TRACE_NOT_FOUND": """\
This clone has no trace with this id. Traces stay in the clone that stored them, and `trace prune` deletes old ones.

Look for it:

```sh
devs-git trace list
devs-git trace search WORDS
```""",
    "MESSAGE_NOT_FOUND": """\
This clone knows no such message or session.

Look for it:

```sh
devs-git trace search --in messages WORDS
```

If the client still has the transcript of the session, import it: `devs-git conversation import ~/.claude/projects/PROJECT/SESSION.jsonl`.""",
    "INVALID_INPUT": """\
The input is refused: it is larger than the limit (`limit_bytes` with `--json`), it is not valid text, or an argument is wrong (`field`).

Send less, or send it in parts. The hint says how for this input. To see the size of a file:

```sh
wc -c FILE
```""",
    "CATALOG_DAMAGED": """\
The file that holds traces and conversations, `.git/devs/catalog.db`, is damaged. Checkpoints and the ledger are not in it, so
you can work. Do not delete the file: no other file has its content.

If you have a backup of the file, take that. If not, save what can be read into a new file:

```sh
sqlite3 "$(git rev-parse --git-common-dir)/devs/catalog.db" .recover > saved.sql
sqlite3 catalog.new.db < saved.sql
```

Then stop all agents and servers, move `catalog.db`, `catalog.db-wal` and `catalog.db-shm` aside, and copy `catalog.new.db` to
`catalog.db`.""",
    "CATALOG_UNUSABLE": """\
The catalog of traces cannot be used: another devs-git version made it, another program holds it, or the disk is full or read-only.

Do what the message says. These commands show the usual causes:

```sh
devs-git --version
df -h .
ls -l "$(git rev-parse --git-common-dir)/devs"
```""",
    "INDEX_DAMAGED": """\
The full-text index of the catalog is damaged, so a search may miss traces or messages. The traces themselves are whole.

Let the next search build it again; `doctor` prints this command, too:

```sh
sqlite3 "$(git rev-parse --git-common-dir)/devs/catalog.db" "DELETE FROM settings WHERE key = 'DEVS_FTS'"
devs-git trace search again
```""",
    "SPOOL_REJECTED": """\
A client's hook sent something that devs-git could not read. Everything else is in the catalog.

Look at the first file. If nothing in it matters, delete the folder:

```sh
ls "$(git rev-parse --git-common-dir)/devs/spool/rejected"
rm -r "$(git rev-parse --git-common-dir)/devs/spool/rejected"
```""",
    "MOMENT_GAP": """\
Before a prompt or a call of an agent's tool, devs-git could not keep the state of the worktree: the disk was full, another command was
running, or it would have taken more than five seconds. The tool ran. If something was not committed at that time and changed since then, no moment
has it.

To keep the state as it is now:

```sh
devs-git snapshot create
```""",
    "AGENT_HOOK_MISSING": """\
The project file of a client calls the hook of devs-git. In this clone that hook is missing, was changed, or has another version. Outputs of
the client's tools are not recorded, and a gate does not stop them.

Install it again:

```sh
devs-git agent install claude
```""",
    "AGENT_HOOK_UNTRUSTED": """\
A client does not run the hooks of this project before a person trusted them. Until then no output is stored, and an open gate stops no tool of
this client. Codex trusts the project and each hook, and says nothing of hooks that it does not run. `doctor` asked Codex itself.

Start `codex` in the repository. Say something, and choose "Trust and continue" for the folder. Then Codex says "Hooks need review": choose
"Trust all and continue". Later you can type `/hooks` and the key `t`. Ask again:

```sh
devs-git agent list
```""",
    "AGENT_HOOK_OUTDATED": """\
Another version of devs-git wrote the lines that call our hook in the project's files, or somebody changed them. They may not know each event.

Write them again, and commit them. Codex trusts each line by a hash of it, so it asks for trust again after a change:

```sh
devs-git agent install claude
```""",
    "AGENT_HOOK_OFF": """\
A setting of the client keeps it from running our hooks, or from starting our MCP server. The message names the file and the setting: for
Claude Code `disableAllHooks`, `allowManagedHooksOnly` or `disabledMcpjsonServers`; in Codex each hook can be turned off in `/hooks`.

Change that setting, and ask again:

```sh
devs-git agent list
```""",
}
