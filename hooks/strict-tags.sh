# A tag of a task moves beside an event alone, and as the events say: a rebase, an amend, a sync. Python reads them.
moved=''
for tag in $tags$list; do
  is=$(git rev-parse -q --verify "${tag%:*}") || [ $? = 1 ] || is=unknown
  [ "${is:-${tag#*:}}" = "${tag#*:}" ] || moved="$moved $tag"
done
if [ "$moved" ]; then
  [ "$event" ] || { set -- $moved && refuse "TAG_MOVED: ${1%%[!0-9A-Za-z/._-]*} names a checkpoint, which never moves"; }
  printf '%s\n' $moved | @PYTHON@ -P -m devs_git hook strict-tags "$event" || exit 1 # too many for arguments
fi
