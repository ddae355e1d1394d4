# Before and after a call that may write, before a prompt and when a session stops, the state of the worktree is kept. Python starts
# only if something changed, may be destroyed, or is to be told, such as a directive. Nothing here stops a tool or a prompt.
client=$1 event=$2 own=$here/devs/moments why='' seen='' saved='' # not those of the caller's environment
# include agent/may-write.sh
# include agent/unchanged.sh
# include agent/may-destroy.sh
# include agent/note-prompt.sh
case $event in
  before | prompt)
    # All input is read in each case, so that the client never writes into a closed pipe.
    [ "$has_payload" ] || payload=$(cat)
    note_turn "$payload"
    { is_directed && why=directed; } || [ -f "$tool_common/devs/moments-on" ] || exit 0
    [ "$event" = before ] || note_prompt "$payload"
    may_write "$payload" || exit 0
    if may_destroy "$payload"; then why=destroys; elif has_said; then why=${why:-said}; fi
    # The payload is written while git looks. Only the file is private: Python must see the umask of the person.
    file=$own/.payload.$$
    (set -C && umask 077 && { [ -d "$own" ] || mkdir -p "$own"; } && [ ! -L "$own" ] && printf '%s' "$payload" >"$file") 2>/dev/null & saved=$!
    [ "$why" = directed ] || ! is_unchanged || exit 0
    wait $saved || { echo 'devs-git: the state of the worktree could not be kept, because the git directory cannot be written.' >&2; exit 0; }
    @PYTHON@ -P -m devs_git hook moment "$client" "$event" "$tool_common" "$here" "$top" "$file" "$seen" "$why"
    exit 0 ;;
esac
