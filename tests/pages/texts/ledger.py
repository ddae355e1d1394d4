"""Troubleshooting of the ledger, its commits and its tags: what each code means, and what to type."""

from __future__ import annotations

from typing import Final

TITLE: Final = "The ledger, commits and tags"
TEXTS: Final[dict[str, str]] = {
    "NOT_INITIALIZED": """\
This repository has no ledger, or the ledger has no policy yet.

Set it up. In a fresh clone, `init` fetches the ledger from the remote:

```sh
devs-git init
git add devs-policy.yaml && git commit -m "Set up devs-git"
```""",
    "LEDGER_MISSING": """\
The branch `devs/ledger`, or some of its objects, is missing or damaged. Work is frozen meanwhile, because nobody can know whether a
gate is open. Do not begin a new ledger.

`doctor` prints the command that puts it back:

```sh
devs-git doctor
```

If `doctor` has no such command, fetch the ledger from the remote, or from another clone (write its path instead of `origin`):

```sh
git fetch origin refs/heads/devs/ledger:refs/heads/devs/ledger
git fsck --full
```""",
    "LEDGER_FORK": """\
There are two ledgers that do not belong together: one begins with another genesis or another first policy than
`devs-policy.yaml` names. Nothing was changed. Somebody ran `init` where a ledger was, or forged one.

Call whoever maintains the repository. These commands show which ledger the policy names, and with which commit each ledger begins:

```sh
git log -p -- devs-policy.yaml
git log --max-parents=0 --format=fuller refs/heads/devs/ledger
git ls-remote origin refs/heads/devs/ledger
```""",
    "LEDGER_ROLLBACK": """\
Events that were in the ledger are missing: somebody set the branch back, here or on the remote. If `verify` says it of a commit, the
commit names an event that is not in this ledger; perhaps the ledger was not fetched.

Fetch first. Then `doctor` prints the command that puts the newer ledger back:

```sh
devs-git sync
devs-git doctor
git reflog show refs/heads/devs/ledger
```

If `sync` itself answers this, the remote was set back: call whoever maintains it. Nothing was changed here.""",
    "INDEX_WRONG": """\
The index of the ledger, `devs/index.db` in the git directory, does not say what the ledger says, or something else is in its place. Lists such as `history`, `log` and
`task status` may leave out or repeat something. Gates, decisions and `verify` do not ask it.

Something wrote into `.git/devs`, or the disk is damaged. Delete the file. The next command that needs it makes it again; `doctor` prints this command, too:

```sh
rm -r "$(git rev-parse --git-common-dir)"/devs/index.db*
```""",
    "LEDGER_MUTATED": """\
The ledger has something in it that devs-git never writes. Examples are a changed or deleted file, a file that does not belong there, a wrong request or decision, and an object
whose bytes do not match its oid. Somebody wrote to the ledger by hand, or the disk is damaged.

Call whoever maintains the repository, and answer no gate until the cause is clear. See what it is and who wrote it:

```sh
devs-git verify ledger
git log --format=fuller refs/heads/devs/ledger
git fsck --full
```

If only this clone is damaged, another clone has the right objects: `git fetch <clone> refs/heads/devs/ledger`.""",
    "LEDGER_REGRESSION": """\
`verify` found a commit that names an older event than its parent does. Somebody committed with an older ledger on top of newer work, or
wrote the trailer by hand.

Get the newest ledger first, then look at the commit:

```sh
devs-git sync
git log -2 --format=%B COMMIT
```

If you have not pushed the branch, `git commit --amend --no-edit` with the hooks on gives the newest commit a new trailer.""",
    "LEDGER_BEHIND": """\
A reflog, or a ref that `sync` wrote, names an event that this clone does not have. Perhaps the clone lost objects, or only a part of it was copied.

Fetch what the remote has, then look for the event that the message names:

```sh
devs-git sync
git log -3 EVENT
```""",
    "LEDGER_CHECKED_OUT": """\
The branch of the ledger is checked out in this worktree. It moves with each event, so `git status` shows changes that nobody made.

Switch to a branch with your code:

```sh
git switch main
```""",
    "FORMAT_TOO_NEW": """\
A newer devs-git wrote an event that this version cannot read. Commands that write are refused; nothing is damaged.

Install a newer devs-git, and see which version is there:

```sh
devs-git --version
git log -1 refs/heads/devs/ledger
```

[The README](../README.md#install) says how to install it. Afterwards `devs-git init` renews the hooks.""",
    "UNBOUND_COMMIT": """\
A commit names no event of the ledger: its message has no trailer `Devs-Ledger`. It was made without the git hooks, on a web page,
by a bot, or before somebody ran `init` in that clone.

Install the hooks. If the commit is the newest one and you have not pushed it, amend it:

```sh
devs-git init
git commit --amend --no-edit
```

The policy says what `verify` makes of it: `verify: {unbound_commit: error}`, `warning` (the default) or `ignore`.""",
    "TAG_MOVED": """\
A tag of a task, or a ref of a checkpoint, does not point where the ledger says. As a warning it means: another clone's purge says that the ref should go, and only
a person deletes it here. Of an archive it means: no event names it, or its ref is not at the commit of its name.

Compare it with the ledger:

```sh
devs-git log --all
git show-ref | grep devs/
```

If a visible tag is wrong, write it again from the numbered ref: `git update-ref refs/tags/devs/task-10 refs/devs/checkpoints/task-10/2`. Replace `10` and `2` by the task and the number that `devs-git show task-10` prints.""",
    "TAG_MISSING": """\
The ledger names a checkpoint whose ref or tag object is not in this clone. Or it names an archive of checkpoints that is missing or damaged.

Fetch the refs of checkpoints and tasks:

```sh
devs-git sync
git fetch origin 'refs/devs/checkpoints/*:refs/devs/checkpoints/*' 'refs/tags/devs/task-*:refs/tags/devs/task-*'
```

If only the visible tag is missing, make it again from the numbered ref: `git update-ref refs/tags/devs/task-10 refs/devs/checkpoints/task-10/2`.

If no clone has the archive, take it back: `devs-git archive --undo`.

If no clone has the checkpoint, look at the event that names it (`git show EVENT`). If somebody removed the checkpoint on purpose, run `devs-git purge --from EVENT`.""",
    "TAG_NOT_ANNOTATED": """\
A tag `devs/task-…` is a plain pointer to a commit. Those of devs-git are annotated tags; somebody made this one by hand.

Put the right tag in its place. The numbered ref of the checkpoint has it; `devs-git show task-10` prints the number:

```sh
devs-git show task-10
git update-ref refs/tags/devs/task-10 refs/devs/checkpoints/task-10/2
devs-git verify tags
```""",
    "REF_LOCKED": """\
A git that was killed left the locks of refs. No git can change these refs: a commit, a fetch or `devs-git archive` fails.
git makes one lock for each ref of a transaction, so there may be thousands. `doctor` names locks that are older than ten
minutes.

Look whether a git is running. If none is, delete the locks:

```sh
pgrep -a git
cd "$(git rev-parse --git-common-dir)" && find refs packed-refs* -name '*.lock' -mmin +10 -delete
```""",
    "REF_BROKEN": """\
The file of a ref is damaged, for example after a loss of power. `git fetch` and `git push` may fail because of it.

`doctor` prints the exact command, which removes the file and writes the last value of the reflog:

```sh
devs-git doctor
git for-each-ref refs/devs refs/heads | head
```""",
    "SCHEMA_INVALID": """\
A schema that is part of devs-git is missing or was changed. Your repository is not the cause.

Install devs-git again, then check it:

```sh
devs-git --version
devs-git verify schemas
```""",
}
