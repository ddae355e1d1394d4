# Before a tool runs: is a gate open here, or where the tool works? Only then Python looks what tool it is.
if [ "$2" = before ]; then
  asked=''
  export GIT_DIR
  for GIT_DIR in "$common" "$theirs"; do
    [ "$GIT_DIR" != "$asked" ] && [ -d "$GIT_DIR/devs" ] || continue
    asked=$GIT_DIR
# include agent/hooked.sh
    case $tip:$open in
      ?*: | *:4b825dc642cb6eb9a060e54bf8d69288fbee4904) # nothing, if the ledger is to be believed
        checked=''
        if [ -f "$GIT_DIR/devs/checked-tip" ]; then read -r checked <"$GIT_DIR/devs/checked-tip"; fi
        [ "$checked" = "$tip" ] || set -- "$@" "$GIT_DIR" ;;
      :) # where nobody ever wrote to one there may be none
        [ ! -f "$GIT_DIR/devs/agent-hook" ] && [ ! -f "$GIT_DIR/devs/ledger.lock" ] || set -- "$@" "$GIT_DIR" ;;
      *) set -- "$@" "$GIT_DIR" ;;
    esac
  done
  [ "${3-}" ] || exec cat >/dev/null # nobody who writes to us shall find the pipe closed
# include agent/deny.sh
fi
