"""The closed table of programs that only read, and of their options; `reading_commands` uses it.

An option is listed if no version of the program writes a file or starts a program because of it. So these are missing:
of `tail`, following a file, which never ends; of `rg`, `--pre` and `--search-zip`; of `find`, all actions except those
that print; of `git`, `-c`, `-C`, `--output`, `--ext-diff`, `--textconv`, `-O`, `--show-signature`, `--help`, and
abbreviations, which git itself would accept.
"""

from __future__ import annotations

from typing import Final

from devs_git.values import immutable


@immutable
class Options:
    """The options of a program: one-letter `flags`, letters with a value behind them, and whole words.

    Letters may be bundled. A word that begins with `--` may have `=` and a value behind it. `number`: whether `-20` is
    an option.
    """

    flags: str = ""
    valued: str = ""
    words: frozenset[str] = frozenset()
    number: bool = False


def _options(flags: str, valued: str, words: str, *, number: bool = False) -> Options:
    return Options(flags, valued, frozenset(words.split()), number)


def _git(flags: str, valued: str, words: str, *, number: bool = False) -> Options:
    return _options(flags, valued, f"-- {words}", number=number)


_GREP: Final = (
    "-- --after-context --basic-regexp --before-context --byte-offset --color --colour --context --count --exclude"
    " --exclude-dir --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include"
    " --invert-match --line-number --line-regexp --max-count --no-filename --no-messages --only-matching --perl-regexp"
    " --quiet --recursive --regexp --text --with-filename --word-regexp"
)
_RG: Final = (
    "-- --after-context --before-context --block-buffered --case-sensitive --color --column --context --count"
    " --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings --follow --glob --heading"
    " --hidden --ignore-case --iglob --invert-match --json --line-number --line-regexp --max-columns --max-count"
    " --max-depth --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs"
    " --no-line-number --no-messages --null --one-file-system --only-matching --passthru --pcre2 --pretty --quiet"
    " --regexp --replace --smart-case --sort --sortr --stats --text --trim --type --type-list --type-not --unrestricted"
    " --vimgrep --with-filename --word-regexp"
)
_FIND: Final = (
    "-H -L -P -a -and -o -or -not -true -false -amin -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty"
    " -executable -gid -group -ilname -iname -inum -ipath -iregex -links -lname -ls -maxdepth -mindepth -mmin -mount"
    " -mtime -name -newer -newermt -nogroup -nouser -path -perm -print -print0 -prune -quit -readable -regex -regextype"
    " -samefile -size -type -uid -user -wholename -writable -xdev -xtype"
)
_DIFF: Final = (
    "--abbrev --binary --color --color-moved --color-words --compact-summary --diff-algorithm --diff-filter"
    " --dirstat --dst-prefix --exit-code --find-copies --find-copies-harder --find-object --find-renames"
    " --full-index --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol"
    " --ignore-space-at-eol --ignore-space-change --ignore-submodules --indent-heuristic --inter-hunk-context --minimal"
    " --name-only --name-status --no-color --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-renames"
    " --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all --pickaxe-regex"
    " --quiet --raw --relative --no-relative --shortstat --src-prefix --stat --summary --text --unified --word-diff"
    " --word-diff-regex"
)
_LOG: Final = (
    f"{_DIFF} --abbrev-commit --after --all --all-match --ancestry-path --author --author-date-order --basic-regexp"
    " --before --boundary --branches --cherry --cherry-mark --cherry-pick --children --committer --date --date-order"
    " --decorate --dense --extended-regexp --first-parent --fixed-strings --follow --format --full-diff --full-history"
    " --graph --grep --invert-grep --left-only --left-right --max-count --max-parents --merges --min-parents"
    " --no-abbrev-commit --no-decorate --no-max-parents --no-merges --no-notes --no-walk --oneline --parents"
    " --perl-regexp --pretty --regexp-ignore-case --relative-date --remotes --reverse --right-only"
    " --simplify-by-decoration --simplify-merges --since --skip --source --sparse --tags --topo-order --until"
    " --walk-reflogs --no-show-signature"
)
# Options of git itself.
GIT_ITSELF: Final = frozenset({"--no-pager", "-P", "--no-optional-locks"})

PROGRAMS: Final[dict[str, Options]] = {
    "cat": _options(
        "AETbenstuv",
        "",
        "-- --number --number-nonblank --show-all --show-ends --show-nonprinting --show-tabs --squeeze-blank",
    ),
    "find": _options("", "", _FIND),
    "grep": _options("EFGHILPRachilnoqrsvwx", "ABCem", _GREP, number=True),
    # With digits as flags, `-20` and `-n20` are known. `tail -cf` would follow a file, so `c` takes no value here.
    "head": _options("0123456789cnqv", "", "-- --bytes --lines --quiet --silent --verbose"),
    "ls": _options(
        "1AFGHLRSacdfghiklmnopqrstux",
        "",
        "-- --all --almost-all --classify --color --directory --file-type --full-time --group-directories-first"
        " --human-readable --inode --no-group --numeric-uid-gid --recursive --reverse --si --size --sort --time"
        " --time-style",
    ),
    "rg": _options("FHILNPSUacilnopqsuvwx0", "ABCMTegmrt", _RG),
    "tail": _options("0123456789cnqv", "", "-- --bytes --lines --quiet --silent --verbose"),
    "wc": _options("Lclmw", "", "-- --bytes --chars --lines --max-line-length --words"),
}
GIT: Final[dict[str, Options]] = {
    "blame": _git(
        "beflnpstw",
        "LM",
        "--abbrev --color-by-age --color-lines --date --first-parent --ignore-rev --incremental --line-porcelain"
        " --minimal --no-progress --no-textconv --porcelain --reverse --root --score-debug --show-email --show-name"
        " --show-number --since",
    ),
    "diff": _git("Rabpqsuwz", "BGMSU", f"{_DIFF} --base --cached --merge-base --ours --staged --theirs"),
    "grep": _git(
        "EFGHILPWahilnopqrvwz",
        "ABem",
        "--after-context --all-match --and --basic-regexp --before-context --break --cached --color --column --context"
        " --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name"
        " --function-context --heading --ignore-case --invert-match --line-number --max-count --max-depth --name-only"
        " --no-color --no-textconv --not --null --only-matching --or --perl-regexp --quiet --recursive --show-function"
        " --text --untracked --word-regexp",
        number=True,
    ),
    "log": _git("EFPRabgimpqstuwz", "BGLMSUn", _LOG, number=True),
    "ls-files": _git(
        "cdfikmostuvz",
        "",
        "--abbrev --cached --deduplicate --deleted --directory --eol --error-unmatch --exclude-standard --full-name"
        " --ignored --killed --modified --no-empty-directory --others --resolve-undo --stage --unmerged",
    ),
    "show": _git("EFPRabgimpqstuwz", "BGLMSUn", _LOG, number=True),
    "status": _git(
        "bsvz",
        "u",
        "--ahead-behind --branch --find-renames --ignore-submodules --ignored --long --no-ahead-behind --no-renames"
        " --porcelain --short --show-stash --untracked-files --verbose",
    ),
}
