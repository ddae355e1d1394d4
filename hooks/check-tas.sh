# Start Python only if a change of the TAS or of devs-policy.yaml is staged. devs/tas-path names the TAS's file and the oid of
# the policy that says so.
# If that note is missing or of another policy, or if git's answer is incomplete, Python checks and writes the note.
case $policy in *' missing') policy=none ;; esac
if [ ! "$policy_staged" ] || [ "$policy" != "$noted_policy" ] || [ "${old#HEAD:}" != "${new#:0:}" ] ||
  [ "${policy_before#HEAD:}" != "${policy_staged#:0:}" ]; then
  @PYTHON@ -P -m devs_git hook pre-commit || exit 1
fi
