# While frozen a branch or a tag goes where it could before: to what a branch, a tag or a remote's branch reaches, or the reflog
# of a branch names. Any other ref, and a snapshot, may hold what was made since. HEAD may look at whatever any ref reaches.
frozen() {
# include frozen.sh
}
before() {
  find "$common/logs/refs/heads" "$common/logs/refs/remotes" -type f ! -path '*/refs/heads/devs/ledger' ! -path '*/refs/heads/snapshot/*' \
    -exec sed -n 's/^[0-9a-f]* \([0-9a-f]*[1-9a-f][0-9a-f]*\) .*/^\1/p' {} + 2>/dev/null
}
new() {
  [ ! "$look" ] || git rev-list -1 "$look" --not --all --reflog || return
  [ ! "$work" ] || { printf '%s\n' $work && before; } | git rev-list -1 --ignore-missing --stdin --not --exclude=devs/ledger '--exclude=snapshot/*' --branches \
    '--exclude=devs/*' --tags --remotes
}
if ! said=$(frozen 2>&1) && [ "$(new || echo unknown)" ]; then
  printf '%s\n' "$said" >&2
  exit 1
fi
