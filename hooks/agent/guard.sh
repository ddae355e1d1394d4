# Before a tool runs: is a gate open in the project, or in the repository where the tool works? Only then Python starts.
has_payload=''
if [ "$2" = before ]; then
  checked_dir=''
  export GIT_DIR
  for GIT_DIR in "$common" "$tool_common"; do
    [ "$GIT_DIR" != "$checked_dir" ] && [ -d "$GIT_DIR/devs" ] || continue
    checked_dir=$GIT_DIR
# include agent/check-git-hooks.sh
    case $tip:$open in
      ?*: | *:4b825dc642cb6eb9a060e54bf8d69288fbee4904) # no gate is open, if the ledger can be trusted
        checked=''
        if [ -f "$GIT_DIR/devs/checked-tip" ]; then read -r checked <"$GIT_DIR/devs/checked-tip"; fi
        [ "$checked" = "$tip" ] || set -- "$@" "$GIT_DIR" ;;
      :) # a repository that never used devs-git may have no ledger
        [ ! -f "$GIT_DIR/devs/agent-hook" ] && [ ! -f "$GIT_DIR/devs/ledger.lock" ] || set -- "$@" "$GIT_DIR" ;;
      *) set -- "$@" "$GIT_DIR" ;;
    esac
  done
  if [ "${3-}" ]; then
# include agent/deny.sh
  fi
fi
