"""The script that `devs-git completion bash|zsh|fish` prints: it makes a shell complete `devs-git …` and `git devs …`.

The script asks click for the candidates, through environment variables. Zsh and fish get click's own script. Bash gets
ours, because bash splits `task-10@3` and `--title=x` into several words, and click's script does not join them.
"""

from __future__ import annotations

from typing import Final

from click.shell_completion import FishComplete, ZshComplete

PROGRAM: Final = "devs-git"
VARIABLE: Final = "_DEVS_GIT_COMPLETE"  # click's name for PROGRAM

_BASH: Final = r"""
_devs_git() {
    local -a words=()
    local rest=$COMP_LINE i word cur typed type value answer
    for ((i = 0; i <= COMP_CWORD; i++)); do # join the words that bash split at @, = or :
        word=${COMP_WORDS[i]}
        if ((i)) && [[ $rest != [[:space:]]* ]]; then words[-1]+=$word; else words+=("$word"); fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$word"}
    done
    if [[ $1 == git ]]; then # called by git's completion: our words begin at `devs`
        while ((${#words[@]})) && [[ ${words[0]} != devs ]]; do words=("${words[@]:1}"); done
    fi
    cur=${words[-1]}
    typed=${cur%"${cur##*[@=:]}"} # bash replaces only what follows the last of these
    local IFS=$'\n'
    answer=$(COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) @VARIABLE@=bash_complete devs-git)
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        plain) COMPREPLY+=("${value#"$typed"}") ;;
        esac
    done <<<"$answer"
}
_git_devs() { _devs_git git; }
complete -o nosort -F _devs_git devs-git git-devs
"""
_ZSH: Final = r"""
_git-devs() { _devs_git_completion }
zstyle ':completion:*:*:git:*' user-commands "devs:@SUMMARY@"
compdef _devs_git_completion git-devs
"""
# fish asks the completions of `git-devs` when it completes `git devs`.
_FISH: Final = """
complete --no-files --command git-devs --arguments "(_devs_git_completion)"
"""
SUMMARY: Final = "checkpoints, rewind and gates for coding agents"


def script(shell: str) -> str:
    """The script for `shell`: bash, zsh or fish."""
    if shell == "bash":
        return _BASH.lstrip().replace("@VARIABLE@", VARIABLE)
    kind, more = (ZshComplete, _ZSH) if shell == "zsh" else (FishComplete, _FISH)
    from devs_git.entrypoints.cli.main import cli

    return kind(cli, {}, PROGRAM, VARIABLE).source().strip() + "\n" + more.replace("@SUMMARY@", SUMMARY)
