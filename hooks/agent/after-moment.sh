# After a call that may write, and when a session stops: the state is kept, if it changed.
if [ -f "$tool_common/devs/moments-on" ] && may_write "$(head -c 4000 "$spool/.$id")" && ! is_unchanged; then
  @PYTHON@ -P -m devs_git hook moment "$client" "$event" "$tool_common" "$here" "$top" "$spool/.$id" >/dev/null 2>&1
fi
