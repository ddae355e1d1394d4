# While frozen a branch may still go where it could before: what no ref and no reflog reaches is a commit made now.
frozen() {
# include frozen.sh
}
if ! said=$(frozen 2>&1) && [ "$(git rev-list -1 $work --not --all --reflog || echo unknown)" ]; then
  printf '%s\n' "$said" >&2
  exit 1
fi
