# What lies between checkpoints: before and after a call that may write, before a prompt and when a session stops, the state of
# the worktree is kept, unless it is that of the newest moment. Python starts only if something changed, or if the command may
# destroy something, or if there is something to tell. Nothing here stops a tool or a prompt.
client=$1 event=$2 own=$here/devs/moments
# include agent/may-write.sh
# include agent/unchanged.sh
# Note the session of a prompt ($1: the payload): a person's commands are about the session that was prompted last. A text in
# JSON has a backslash before each quote, so this is the name of a field.
note_prompt() {
  case $1 in *'"session_id":'*) session=${1#*'"session_id":'} ;; *) return ;; esac
  session=${session#*\"} session=${session%%\"*}
  case $session in '' | *[!A-Za-z0-9_-]*) return ;; esac
  { [ -d "$own" ] || mkdir -p "$own"; } 2>/dev/null
  [ -L "$own" ] || [ -L "$own/prompted" ] || { printf '%s\n' "$session" >"$own/prompted"; } 2>/dev/null
}
case $event in
  before | prompt)
    # Read all input in each case, so that the client never writes into a closed pipe.
    [ -f "$tool_common/devs/moments-on" ] || exec cat >/dev/null
    payload=$(cat)
    umask 077
    [ "$event" = before ] || note_prompt "$payload"
    may_write "$payload" || exit 0
    [ -e "$own/gap" ] || [ -e "$own/note" ] || [ -e "$own/elsewhere" ] || may_destroy "$payload" || ! is_unchanged || exit 0
    file=$own/.payload.$$
    # Only the file is private: Python must see the umask of the person.
    (umask 077 && { [ -d "$own" ] || mkdir -p "$own"; } && [ ! -L "$own" ] && printf '%s' "$payload" >"$file") 2>/dev/null || {
      echo 'devs-git: the state of the worktree could not be kept, because the git directory cannot be written.' >&2
      exit 0
    }
    @PYTHON@ -P -m devs_git hook moment "$client" "$event" "$tool_common" "$here" "$top" "$file"
    exit 0
    ;;
esac
