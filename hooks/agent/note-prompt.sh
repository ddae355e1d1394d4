# include agent/may-overwrite.sh
# Note the session of a prompt ($1: the payload): a person's commands are about the session that was prompted last. A text in
# JSON has a backslash before each quote, so this is the name of a field. The first line counts: to empty the file takes longer.
note_prompt() {
  case $1 in *'"session_id":'*) session=${1#*'"session_id":'} ;; *) return ;; esac
  session=${session#*\"} session=${session%%\"*}
  case $session in '' | *[!A-Za-z0-9_-]*) return ;; esac
  { [ -d "$own" ] || (umask 077 && exec mkdir -p "$own"); } 2>/dev/null
  [ -L "$own" ] || [ -L "$own/prompted" ] || { [ -e "$own/prompted" ] && [ ! -f "$own/prompted" ]; } || { printf '%s\n' "$session" 1<>"$own/prompted"; } 2>/dev/null
}

# Whether there is something to tell. Of what was destroyed the next prompt tells.
has_said() { [ -e "$own/gap" ] || { [ "$event" = prompt ] && { [ -e "$own/note" ] || [ -e "$own/watched" ] || is_gone; }; }; }
# Whether a worktree is gone in which a session or a command was at work.
is_gone() {
  [ -f "$own/elsewhere.places" ] || return 1
  while IFS= read -r place; do [ -e "$place" ] || return 0; done <"$own/elsewhere.places"
  return 1
}
# Whether a directive of a person waits for the task of this worktree. The note has such tasks, so that Python starts for no other.
is_directed() {
  [ "$event" = prompt ] && [ -f "$tool_common/devs/directed" ] && { read -r _ task <"$here/devs/task"; } 2>/dev/null || return
  while IFS= read -r line; do [ "$line" != "$task" ] || return 0; done <"$tool_common/devs/directed"
  return 1
}
