# One git child answers all that pre-commit asks: is there a ledger, is anything open, which policy is in force, and the
# TAS in HEAD and in the index that git names. `<name> missing` says that there is none.
noted='' path=TAS.md
if [ -f "$common/devs/tas-path" ]; then read -r noted path <"$common/devs/tas-path"; fi
answer=$(GIT_NO_REPLACE_OBJECTS=1 git cat-file --batch-check='%(objectname)' <<NAMES
refs/heads/devs/ledger
refs/heads/devs/ledger^{tree}
refs/heads/devs/ledger:open
refs/heads/devs/ledger:policy.yaml
HEAD:$path
:0:$path
NAMES
)
set -f && IFS='
'
set -- $answer # one answer a line
tip=${1-} open=${3-} policy=${4-} old=${5-} new=${6-}
# Only a ledger with nothing open lets go on; about any other answer, or none, git is asked as every hook asks it.
case $tip:${2-} in *missing*) open='' ;; esac
if [ "$open" != 'refs/heads/devs/ledger:open missing' ]; then
# include frozen.sh
else
# include checked.sh
# include calm.sh
fi
