# Python decides: it looks which tool it is, and what freezes each repository in "$@". Without an answer the tool may run.
payload=$(cat) has_payload=1
denial=$(printf '%s' "$payload" | (client=$1 && shift 2 && exec @PYTHON@ -P -m devs_git hook before-tool "$client" "$@"))
case $?:$denial in
  0:) ;;
  0:*) printf '%s\n' "$denial" && exit 0 ;;
  # If nobody can decide, the tool is denied. Exit status 2 means this to all clients.
  70:*) exit 2 ;;
  *)
    echo 'devs-git: INTERNAL: this tool is denied, because a gate may be open and Python could not be started to check it. See: devs-git doctor' >&2
    exit 2 ;;
esac
