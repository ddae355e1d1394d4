# Start Python only where the TAS is staged in the index that git names. Which file it is the policy says: devs/tas-path
# notes it with the policy's oid. A note of another policy, or none, is no answer: then Python looks, and writes it.
policy='' path=TAS.md
if [ -f "$common/devs/tas-path" ]; then read -r policy path <"$common/devs/tas-path"; fi
answer=$(GIT_NO_REPLACE_OBJECTS=1 git cat-file --batch-check='%(objectname)' <<NAMES
refs/heads/devs/ledger:policy.yaml
HEAD:$path
:0:$path
NAMES
)
{ read -r now; read -r old; read -r new; } <<ANSWER
$answer
ANSWER
case $now in *' missing') now=none ;; esac
if [ "$now" != "$policy" ] || [ "${old#HEAD:}" != "${new#:0:}" ]; then
  @PYTHON@ -P -m devs_git hook pre-commit || exit 1
fi
