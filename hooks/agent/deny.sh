# Python decides: it looks which tool it is, and what freezes each repository in "$@".
client=$1 && shift 2
@PYTHON@ -P -m devs_git hook before-tool "$client" "$@"
status=$?
[ "$status" != 0 ] || exit 0
# If nobody can decide, the tool is denied. Exit status 2 means this to all clients.
[ "$status" = 70 ] || echo 'devs-git: INTERNAL: this tool is denied, because a gate may be open and Python could not be started to check it. See: devs-git doctor' >&2
exit 2
