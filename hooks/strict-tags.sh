# A task's tag may only move together with an event that explains the move: a rebase, an amend, a sync. Python reads the events.
moved=''
for tag in $tags$list; do
  now=$(git rev-parse -q --verify "${tag%:*}") || [ $? = 1 ] || now=unknown
  [ "${now:-${tag#*:}}" = "${tag#*:}" ] || moved="$moved $tag"
done
if [ "$moved" ]; then
  [ "$event" ] || { set -- $moved && refuse "TAG_MOVED: ${1%%[!0-9A-Za-z/._-]*} is the tag of a checkpoint, and such a tag never moves"; }
  printf '%s\n' $moved | @PYTHON@ -P -m devs_git hook strict-tags "$event" || exit 1 # too many for arguments
fi
