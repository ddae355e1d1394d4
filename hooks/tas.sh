# Start Python only where the TAS is staged in the index that git names. Which file it is the policy says: devs/tas-path
# notes it with the policy's oid. A note of another policy, or none, is no answer, as half an answer of git is none: then Python looks, and writes it.
case $policy in *' missing') policy=none ;; esac
if [ ! "$new" ] || [ "$policy" != "$noted" ] || [ "${old#HEAD:}" != "${new#:0:}" ]; then
  @PYTHON@ -P -m devs_git hook pre-commit || exit 1
fi
