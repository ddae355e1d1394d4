# Refuse: moving a devs/task-* tag, moving the ledger other than forward by an event, deleting it, and commits while frozen.
refuse() { echo "devs-git: $1. See: devs-git doctor" >&2 && exit 1; }
export GIT_NO_REPLACE_OBJECTS=1
ledger=refs/heads/devs/ledger event='' tags='' list='' work='' part='' saved='' look=''
while read -r old new ref; do
  case $ref:$new in
    $ledger:ref:*) refuse 'LEDGER_ROLLBACK: the ledger must not be a symbolic ref' ;;
    $ledger:*[!0]*) event=$new ;;
    $ledger:*) # git pack-refs deletes the loose file of a ref that it packed, without the lock of a deletion
      { grep -qxF "$old $ref" "$common/packed-refs" && [ ! -e "$common/packed-refs.lock" ]; } 2>/dev/null ||
        refuse 'LEDGER_MISSING: the ledger must not be deleted' ;;
    refs/tags/devs/task-*:*[!0]*) list="$list $ref:$new" && [ ${#list} -lt 4000 ] || tags=$tags$list list='' ;;
    HEAD:ref:* | refs/heads/*:ref:refs/heads/* | refs/tags/devs/*) ;;
    refs/heads/*:ref:* | refs/tags/*:ref:*) refuse 'INVALID_BRANCH: a branch or a tag must not be a symbolic ref to another kind of ref' ;;
    HEAD:*[!0]*) look=$new ;;
    refs/heads/snapshot/*:*[!0]*) saved="$saved $new" ;;
    refs/heads/*:*[!0]* | refs/tags/*:*[!0]*) # in parts: appending to one long string would copy it for each ref
      part="$part $new" && [ ${#part} -lt 4000 ] || work=$work$part part='' ;;
  esac
done
# include strict-ledger.sh
# include strict-tags.sh
work=$work$part && [ "$event" ] || work=$work$saved # a snapshot comes with its event
[ "$work$look" ] || exit 0
# include strict-work.sh
