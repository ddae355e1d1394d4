# include agent/keep-transcript.sh
case $event in
  Stop | SubagentStop | SessionEnd | AfterAgent)
    if [ -d "$here/devs/turns" ]; then
      begin=$(head -c 4000 "$spool/.$id")
      keep_transcript "$begin"
      [ "$event" = SubagentStop ] || note_turn "$begin"
    fi ;;
esac
# After a call that may write, and when a session stops: the state is kept, if it changed. Python also looks what a command
# destroyed, and says what the model could not be told before.
if [ -f "$tool_common/devs/moments-on" ] && may_write "$(head -c 4000 "$spool/.$id")" &&
  { [ -e "$own/watched" ] || [ -e "$own/unsaid" ] || ! is_unchanged; }; then
  said=$(@PYTHON@ -P -m devs_git hook moment "$client" "$event" "$tool_common" "$here" "$top" "$spool/.$id" "$seen" 2>/dev/null)
  # A client takes one answer. What is gone matters more than a short output.
  [ ! "$said" ] || { printf '%s\n' "$said" && exec mv "$spool/.$id" "$spool/$id.$1.$2"; }
fi
