# Add the active task's trailers to the message in "$1". prepare-commit-msg tells in "$2" where the message is from;
# commit-msg, which comes after the editor, does not. An empty message or a template that nobody edited stays as it is.
for entry in "$common"/devs/journal/*.json; do
  if [ -f "$entry" ] && grep -qF "\"worktree\": \"$own\"" "$entry"; then
    echo 'devs-git is at work in this worktree, or was interrupted. Run: devs-git status' >&2 && exit 1
  fi
done
[ -f "$dir/devs/task" ] || exit 0
same() { [ -f "$2" ] && [ "$(git stripspace -s <"$1")" = "$(git stripspace -s <"$2")" ]; }
case ${0##*/}:${2-} in
  commit-msg*) if grep -q '^Devs-Ledger: ' "$1" || same "$1" "$dir/devs/template"; then exit 0; fi ;;
  *:template) cp "$1" "$dir/devs/template" && exit 0 ;;
  *) rm -f "$dir/devs/template" ;;
esac
rebase='' && if [ -d "$dir/rebase-merge" ] || [ -d "$dir/rebase-apply" ]; then rebase=yes; fi
[ "${2-}" != message ] || [ ! -f "$dir/rebase-merge/amend" ] || rebase='' # a new commit where an `edit` stopped
comment=$(git config --get-regexp '^core\.comment(char|string)$' | sed -n '$s/^[^ ]* //p')
separators=:$(git config --get trailer.separators)
others=$(git -c "trailer.separators=$separators" interpret-trailers --parse --no-divider "$1" | grep -v '^Devs-')
tip=$(GIT_NO_REPLACE_OBJECTS=1 git rev-parse --quiet --verify refs/heads/devs/ledger)
new=$(comment=$comment others=$others tip=$tip rebase=$rebase from=${0##*/}:${2-} task=$(cat "$dir/devs/task") LC_ALL=C awk '
# include trailers.awk
' "$1") || exit 0
printf '%s\n' "$new" >"$1"
