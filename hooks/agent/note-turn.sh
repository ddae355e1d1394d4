# Note that a turn of a session runs ($1: the payload), so that nobody moves its files or its conversation meanwhile: the client's
# process and when it began (of this the system's own line), the start of the machine, its name, and the transcript. The time of the
# file is that of the last sign. At the end of the turn its first line is 0. Only five lines count: to empty the file takes longer.
note_turn() {
  [ -d "$tool_common/devs" ] || return
  case $1 in *'"session_id":'*) session=${1#*'"session_id":'} ;; *) return ;; esac
  session=${session#*\"} session=${session%%\"*}
  case $session in '' | *[!A-Za-z0-9_-]*) return ;; esac
  turn=$here/devs/turns/$session
  if [ -L "$here/devs" ] || [ -L "$here/devs/turns" ] || [ -L "$turn" ] || { [ -e "$turn" ] && [ ! -f "$turn" ]; }; then return; fi
  { [ -d "$here/devs/turns" ] || (umask 077 && exec mkdir -p "$here/devs/turns"); } 2>/dev/null
  case $event in
    Stop | SessionEnd | AfterAgent) [ ! -f "$turn" ] || { echo 0 1<>"$turn"; } 2>/dev/null ;;
    *)
      began='' boot='' machine='' transcript=''
      case $1 in *'"transcript_path":'*) transcript=${1#*'"transcript_path":'} transcript=${transcript#*\"} transcript=${transcript%%\"*} ;; esac
      { read -r began <"/proc/$PPID/stat"; read -r boot </proc/sys/kernel/random/boot_id; read -r machine </proc/sys/kernel/hostname; } 2>/dev/null
      { printf '%s\n' "$PPID" "$began" "$boot" "$machine" "$transcript" 1<>"$turn"; } 2>/dev/null ;;
  esac
}
