# Keep the payload as it comes, under a name of its own, whole or not at all; everything else is for later. On top of it
# stand client and event, where we are, what HEAD is, and the active task: when somebody reads this they may be others.
umask 077
spool=$common/devs/spool
{ read -r id </proc/sys/kernel/random/uuid || id=$(date +%s)-$PPID-$$; } 2>/dev/null
[ -d "$spool" ] || mkdir -p "$spool"
if [ -L "$common/devs" ] || [ -L "$spool" ]; then spool=/dev/null; fi # what we keep goes nowhere else
{
  printf '%s %s\n' "$1" "$2"
  case $w in *[![:print:]]*) ;; *) printf 'PWD %s\n' "$w" ;; esac
  if [ "$theirs" = "$common" ] && read -r head <"$here/HEAD"; then
    case $head in 'ref: '*) [ ! -f "$common/${head#ref: }" ] || read -r head <"$common/${head#ref: }" ;; esac
    printf 'HEAD %s\n' "$head"
    if [ -f "$here/devs/task" ]; then while IFS= read -r line; do printf '%s\n' "$line"; done <"$here/devs/task"; fi
  fi
  echo
  cat
} >"$spool/.$id" && exec mv "$spool/.$id" "$spool/$id.$1.$2"
rm -f "$spool/.$id"
echo 'devs-git: what this tool printed could not be kept; see: devs-git doctor' >&2
exit 1
