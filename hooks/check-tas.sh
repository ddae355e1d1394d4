# Start Python only if a change of the TAS is staged. devs/tas-path names the TAS's file and the oid of the policy that says so.
# If that note is missing or of another policy, or if git's answer is incomplete, Python checks and writes the note.
case $policy in *' missing') policy=none ;; esac
if [ ! "$new" ] || [ "$policy" != "$noted_policy" ] || [ "${old#HEAD:}" != "${new#:0:}" ]; then
  @PYTHON@ -P -m devs_git hook pre-commit || exit 1
fi
