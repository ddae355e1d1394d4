"""Troubleshooting of the installation, git, the hooks and the view: what each code means, and what to type."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Installation, git, hooks and arguments"
TEXTS: Final[dict[str, str]] = {
    "INVALID_ARGUMENTS": """\
An argument or option has a value that the command does not accept. With `--json`, `field` names it.

Read the help of the command, which has an example:

```sh
devs-git help rewind
```

A command that deletes for good needs `--yes` without a terminal, because nobody can be asked there.""",
    "BUSY": """\
Another process holds a lock: another devs-git, another git, or a program that reads the catalog.

Wait a moment and run the command again. If the answer is the same, see which processes run. Remove a lock of git only if no git runs:

```sh
ps -ef | grep -E 'git|devs-git'
ls "$(git rev-parse --git-dir)"/*.lock
```

`sync` also answers this if it cannot reach the remote. Try `git ls-remote origin`.""",
    "REMOTE_HAS_MOMENTS": """\
A remote has refs that belong to one clone alone, because somebody pushed all refs there (`git push --mirror`). These are backups, which contain
untracked files, or commits that [moments](moments.md) keep and that may be on no branch. If the remote is a folder of this machine, devs-git reads its refs. Of another remote it knows what the last `devs-git sync` saw, and
whether a push from this clone sent such refs.

Delete them there, then run `devs-git sync`, which looks again. If an untracked file had a secret, [change the secret](secrets.md):

```sh
git ls-remote --refs origin 'refs/devs/moments/*' 'refs/devs/backup/*' 'refs/zdevs/moments/*' | cut -f2 | xargs -r -n 100 git -c remote.origin.mirror=false push origin --delete
devs-git sync origin
```""",
    "REMOTE_TAKES_MOMENTS": """\
The settings of a remote say that a push sends all refs. So it also sends backups, which contain untracked files, and commits that only
[moments](moments.md) keep.

Leave these refs out:

```sh
git config --unset-all remote.origin.mirror
git config --add remote.origin.push '+refs/*:refs/*'
git config --add remote.origin.push '^refs/devs/moments/*'
git config --add remote.origin.push '^refs/devs/backup/*'
git config --add remote.origin.push '^refs/zdevs/moments/*'
```""",
    "REMOTE_PRUNES_MOMENTS": """\
The settings of a remote say that a fetch takes all refs (`+refs/*:refs/*`, as after `git clone --mirror`). With `--prune`, git then deletes
each ref that the remote does not have: backups, checkpoints, and also your own branches. [Moments](moments.md) stay.

Leave the refs of devs-git out:

```sh
git config --add remote.origin.fetch '^refs/devs/*'
```""",
    "READ_ONLY": """\
The git directory cannot be written here, so a command that writes does nothing. Commands that read still work; what hooks have captured
meanwhile waits in the spool. This is usual in the sandbox of a coding agent: Codex keeps `.git` read-only for shell commands.

An agent calls the tool that the hint names: the client starts our MCP server outside of its sandbox. A person runs the command in a
terminal. If there is no sandbox, see who may write:

```sh
ls -ld "$(git rev-parse --git-common-dir)"
```""",
    "INTERNAL": """\
This is a bug of devs-git. Its log file has the details.

Report the last lines of the log. Then check the repository:

```sh
tail -40 "${XDG_STATE_HOME:-$HOME/.local/state}/devs-git/errors.log"
devs-git doctor
git fsck
```""",
    "NOT_A_REPOSITORY": """\
There is no git repository with a working tree here, or git refuses to read it: it belongs to another user, or its configuration is damaged.

Go to the repository, or see what git says:

```sh
git status
git config --list --show-origin
```

If the repository belongs to another user whom you trust: `git config --global --add safe.directory /path/to/repository`.""",
    "GIT_NOT_FOUND": """\
The program `git` is not on `PATH`.

Install git 2.36 or newer:

```sh
apt-get install git
git --version
```""",
    "GIT_TOO_OLD": """\
The installed git is older than 2.36.

Install a newer one, and see which one is found:

```sh
git --version
command -v git
```""",
    "IDENTITY_MISSING": """\
git knows no name or mail address for you. Until you set them, events and checkpoints have the name of your account on this machine.

Tell git who you are:

```sh
git config --global user.name 'Ada Lovelace'
git config --global user.email ada@example.org
```""",
    "HOOK_MISSING": """\
A git hook of devs-git is not installed, is not executable, or another hook is in its place. Commits make no checkpoints, and a gate does not stop them.

Install the hooks. A hook of yours is kept, and devs-git calls it:

```sh
devs-git init
devs-git doctor
```

husky writes its folder `.husky/_` in each worktree. In a worktree without it, run `npx husky` first.

In a clone of CI (the variable `CI` is set, and nobody ran `init`), `doctor` does not ask for hooks, because nobody commits there.""",
    "HOOK_NOT_CALLED": """\
The setting `core.hooksPath` names another place for git's hooks. devs-git does not write there, because git tracks that folder, it is outside the repository, or it
is not a folder.

`doctor` prints the command that adds one line to the hook there. See which folder it is:

```sh
devs-git doctor
git config --show-origin --get-all core.hooksPath
```""",
    "HOOK_NOT_RUN": """\
The hook is installed, but git cannot run it. Perhaps the shell or Python that it starts is gone, or the file system forbids programs (`noexec`).

Let git run one hook and read what it says. Then install the hooks again:

```sh
git hook run pre-rebase
devs-git init
```""",
    "HOOK_OUTDATED": """\
Another version of devs-git installed the hooks, or the Python that they start is gone or has no devs-git.

Install them again, with the devs-git that you use:

```sh
devs-git --version
devs-git init
```""",
    "HOOK_EDITED": """\
Somebody changed a hook of devs-git after it was installed. devs-git leaves it as it is, so nobody knows what the hook does now.

Look at the hook. Then move it away and install it again:

```sh
git rev-parse --git-path hooks
devs-git doctor
devs-git init
```

`doctor` prints the `mv` for the file.""",
    "HOOK_ADDED": """\
A hook of devs-git calls the file `<hook>.before-devs` beside it, if there is one. Somebody put such a file there after `init`.

Look at the file. If it is yours, `init` accepts it. If it is not, remove it:

```sh
ls -l "$(git rev-parse --git-path hooks)"
devs-git init
```""",
    "HOOK_KEPT_MISSING": """\
You had a hook before `init`. devs-git kept it beside its own and calls it. That file is gone.

Put it back from a copy, or let `init` write the hook without it:

```sh
ls -l "$(git rev-parse --git-path hooks)"
devs-git init
```""",
    "EXCLUDE_MISSING": """\
The folder `.devs/` is not in git's list of ignored paths (`info/exclude`), so devs-git does not write it.

Let `init` add the line:

```sh
devs-git init
```""",
    "VIEW_BLOCKED": """\
A file or folder of yours is at `.devs`, where devs-git shows the files of the ledger. devs-git does not touch it.

Move it away, then let `init` write the folder:

```sh
mv .devs devs-of-mine
devs-git init
```""",
    "VIEW_STALE": """\
The folder `.devs/` does not show the ledger as it is: somebody changed or deleted files in it. It is only a copy for reading, so nothing is lost.

Write it again:

```sh
devs-git init
```""",
    "UNREADABLE": """\
`doctor` could not read everything: git refuses to read something in this repository.

See what is damaged. A fetch brings back what the remote still has:

```sh
git fsck --full
git fetch origin
```""",
    "VERB_UNLISTED": """\
The tables of commands, tools and routes in this installation do not agree with the written list. Your repository is not the cause.

Install devs-git again. In a checkout of devs-git, the message names the row that is missing:

```sh
devs-git verify registry
```""",
    "VERB_UNGUARDED": """\
This installation has a command or a tool that would write although a gate is open. Your repository is not the cause.

Install devs-git again, and report it:

```sh
devs-git verify guard
```""",
}
