# One git child answers: the ledger, its gates and policy; the TAS and devs-policy.yaml in HEAD and in the index.
noted_policy='' path=TAS.md
if [ -f "$common/devs/tas-path" ]; then read -r noted_policy path <"$common/devs/tas-path"; fi
answer=$(GIT_NO_REPLACE_OBJECTS=1 git cat-file --batch-check='%(objectname)' <<NAMES
refs/heads/devs/ledger
refs/heads/devs/ledger^{tree}
refs/heads/devs/ledger:open
refs/heads/devs/ledger:policy.yaml
HEAD:$path
:0:$path
HEAD:devs-policy.yaml
:0:devs-policy.yaml
NAMES
)
set -f && IFS='
'
set -- $answer # one answer a line
tip=${1-} open=${3-} policy=${4-} old=${5-} new=${6-} policy_before=${7-} policy_staged=${8-}
# Only a ledger without an open gate lets the commit continue. After any other answer, or none, refuse-while-frozen.sh asks git.
case $tip:${2-} in *missing*) open='' ;; esac
if [ "$open" != 'refs/heads/devs/ledger:open missing' ]; then
# include refuse-while-frozen.sh
else
# include check-tip.sh
fi
