# After a compaction the model has a summary only. It is told again on which task it works, what counts there, and where the rest is.
if [ "$2" = SessionStart ]; then
  [ -f "$here/devs/task" ] || exec cat >/dev/null
  exec @PYTHON@ -P -m devs_git hook recall "$1" "$2" "$tool_common" "$here" "$top"
fi
