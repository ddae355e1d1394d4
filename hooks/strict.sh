# Refuse to move a devs/task-* tag, to move the ledger but forward by an event, to delete it, and commits while frozen.
refuse() { echo "devs-git: $1. See: devs-git doctor" >&2 && exit 1; }
export GIT_NO_REPLACE_OBJECTS=1
ledger=refs/heads/devs/ledger event='' tags='' work=''
while read -r old new ref; do
  case $ref:$new in
    $ledger:ref:*) refuse 'LEDGER_ROLLBACK: the ledger is no link' ;;
    $ledger:*[!0]*) event=$new ;;
    $ledger:*) # git pack-refs takes what it has packed out of the loose files, without the lock of a deletion
      { grep -qxF "$old $ref" "$common/packed-refs" && [ ! -e "$common/packed-refs.lock" ]; } 2>/dev/null ||
        refuse 'LEDGER_MISSING: the ledger is never deleted' ;;
    refs/tags/devs/task-*:*[!0]*) tags="$tags $ref:$new" ;;
    refs/heads/devs/*:* | *:ref:*) ;;
    HEAD:*[!0]* | refs/heads/*:*[!0]*) work="$work $new" ;;
  esac
done
# include strict-ledger.sh
for tag in $tags; do
  is=$(git rev-parse -q --verify "${tag%:*}") || [ $? = 1 ] || is=unknown
  [ "$event" ] || [ "${is:-${tag#*:}}" = "${tag#*:}" ] || refuse "TAG_MOVED: ${tag%:*} names a checkpoint, which never moves"
done
[ "$work" ] || exit 0
# include strict-work.sh
