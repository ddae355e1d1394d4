# Python looks what tool it is, and what freezes each place that is named.
asked=$1 && shift 2
@PYTHON@ -P -m devs_git hook before-tool "$asked" "$@"
status=$?
[ "$status" != 0 ] || exit 0
# What cannot be looked at is not let through; 2 is how clients are told so without any words of theirs.
[ "$status" = 70 ] || echo 'devs-git: INTERNAL: a gate may be open, and the Python that knows could not be started: devs-git doctor' >&2
exit 2
