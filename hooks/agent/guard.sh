# Before a tool runs: is a gate open here, or where the tool works? Only then Python looks what tool it is.
if [ "$2" = before ]; then
  asked=''
  export GIT_DIR
  for GIT_DIR in "$common" "$theirs"; do
    [ "$GIT_DIR" != "$asked" ] && [ -d "$GIT_DIR/devs" ] || continue
    asked=$GIT_DIR
# include open.sh
    case $tip:$open in
      ?*: | *:4b825dc642cb6eb9a060e54bf8d69288fbee4904) ;;
      :) # where nobody ever wrote to one there may be none
        [ ! -f "$GIT_DIR/devs/agent-hook" ] && [ ! -f "$GIT_DIR/devs/ledger.lock" ] || set -- "$@" "$GIT_DIR" ;;
      *) set -- "$@" "$GIT_DIR" ;;
    esac
  done
  [ "${3-}" ] || exec cat >/dev/null # nobody who writes to us shall find the pipe closed
  asked=$1 && shift 2
  @PYTHON@ -P -m devs_git hook before-tool "$asked" "$@"
  status=$?
  [ "$status" != 0 ] || exit 0
  # What cannot be looked at is not let through; 2 is how clients are told so without any words of theirs.
  [ "$status" = 70 ] || echo 'devs-git: INTERNAL: a gate may be open, and the Python that knows could not be started: devs-git doctor' >&2
  exit 2
fi
