# Save the payload unchanged under a name of its own, whole or not at all; devs-git reads it later. The lines above it are
# client and event, folder, HEAD and active task as they are now: when devs-git reads the payload, they may have changed.
spool=$common/devs/spool
{ read -r id </proc/sys/kernel/random/uuid || id=$(date +%s)-$PPID-$$; } 2>/dev/null
[ -d "$spool" ] || (umask 077 && exec mkdir -p "$spool")
if [ -L "$common/devs" ] || [ -L "$spool" ]; then spool=/dev/null; fi # never write through a link
( # Only this file is private: Python must see the umask of the person.
  umask 077 && exec >"$spool/.$id" || exit
  printf '%s %s\n' "$1" "$2"
  case $w in *[![:print:]]*) ;; *) printf 'PWD %s\n' "$w" ;; esac
  if [ "$tool_common" = "$common" ] && read -r head <"$here/HEAD"; then
    case $head in 'ref: '*) [ ! -f "$common/${head#ref: }" ] || read -r head <"$common/${head#ref: }" ;; esac
    printf 'HEAD %s\n' "$head"
    if [ -f "$here/devs/task" ]; then while IFS= read -r line; do printf '%s\n' "$line"; done <"$here/devs/task"; fi
  fi
  echo
  exec cat
) && {
# include agent/after-moment.sh
# include agent/shorten.sh
  exec mv "$spool/.$id" "$spool/$id.$1.$2"
}
rm -f "$spool/.$id"
echo 'devs-git: the output of this tool could not be saved. See: devs-git doctor' >&2
exit 1
