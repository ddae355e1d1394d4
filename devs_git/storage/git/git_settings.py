"""What each git of ours is told: variables and settings.

This module imports nothing: the hook of a client starts its first git before the rest of the program is loaded.
"""

# Variables by which a caller's repository would leak into a child that writes the ledger or a backup.
REPOSITORY_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_INTERNAL_SUPER_PREFIX",
)
# git refuses to combine the first three with GIT_LITERAL_PATHSPECS. If git cannot read the date, it ends while it writes
# reflogs, in the middle of a transaction of refs.
NEVER = ("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_COMMITTER_DATE")
ALWAYS = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_PAGER": "cat",
    # Else rev-list and log make a write for each commit.
    "GIT_FLUSH": "0",
}
QUIET = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "advice.detachedHead=false",
)
# A private index is one complete file, without a helper process and without the user's cache of untracked files.
PRIVATE_INDEX = (
    "core.splitIndex=false",
    "index.sparse=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "submodule.recurse=false",
    "core.safecrlf=false",
)
# All stat data counts, whatever the user's settings say: an edit that keeps the size must not be missed.
STAT = (
    "core.checkStat=default",
    "core.trustctime=true",
    "core.ignoreStat=false",
    "index.skipHash=true",
)
# How `update-index` takes over files whose paths it reads.
UPDATE = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
# The settings that say what git makes of the bytes and modes of a file.
OF_FILES = r"^(core\.(autocrlf|filemode|sparsecheckout|attributesfile)|attr\.tree|remote\..*\.promisor)$"
# Files that say something about other files.
RULES = frozenset((".gitignore", ".gitattributes", ".gitmodules"))
# The most bytes that each policy allows for the files of a moment: below this the policy is not read.
ROOM_UNASKED = 64 << 20
