# While frozen, a branch or a tag may move only to older commits: those that a branch, a tag or a branch of a remote reaches, or
# that the reflog of a branch names. Other refs and snapshots may have newer commits. HEAD may move to whatever any ref reaches.
refuse_while_frozen() {
# include refuse-while-frozen.sh
}
commits_in_reflogs() {
  find "$common/logs/refs/heads" "$common/logs/refs/remotes" -type f ! -path '*/refs/heads/devs/ledger' ! -path '*/refs/heads/snapshot/*' \
    -exec sed -n 's/^[0-9a-f]* \([0-9a-f]*[1-9a-f][0-9a-f]*\) .*/^\1/p' {} + 2>/dev/null
}
new_commits() {
  [ ! "$look" ] || git rev-list -1 "$look" --not --all --reflog || return
  [ ! "$work" ] || { printf '%s\n' $work && commits_in_reflogs; } | git rev-list -1 --ignore-missing --stdin --not --exclude=devs/ledger '--exclude=snapshot/*' --branches \
    '--exclude=devs/*' --tags --remotes
}
if ! reason=$(refuse_while_frozen 2>&1) && [ "$(new_commits || echo unknown)" ]; then
  printf '%s\n' "$reason" >&2
  exit 1
fi
