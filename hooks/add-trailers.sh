# Add Devs-Ledger and the trailers of the active task to the message in "$1". In prepare-commit-msg "$2" is the source of the
# message. commit-msg runs after the editor and has no "$2". An empty message and an unedited template stay unchanged.
for entry in "$common"/devs/journal/*.json; do
  if [ -f "$entry" ] && { grep -sqF "\"worktree\": \"$own\"" "$entry"; [ $? != 1 ]; } && [ -f "$entry" ]; then
    echo 'devs-git: a command is running in this worktree, or was interrupted. Run: devs-git status' >&2 && exit 1
  fi
done
task='' rebase='' template=$dir/devs/template
if [ -f "$dir/devs/task" ]; then task=$(cat "$dir/devs/task") || exit; fi
same() { [ -f "$2" ] && [ "$(git stripspace -s <"$1")" = "$(git stripspace -s <"$2")" ]; }
case ${0##*/}:${2-} in
  commit-msg*) if grep -q '^Devs-Ledger: ' "$1" || same "$1" "$template"; then exit 0; fi ;;
  *:template) [ -L "$dir/devs" ] || { mkdir -p "$dir/devs" && rm -f "$template" && cp "$1" "$template"; } && exit 0 ;;
  *) [ ! -f "$template" ] || [ -L "$dir/devs" ] || rm -f "$template" ;;
esac
if [ -d "$dir/rebase-merge" ] || [ -f "$dir/rebase-apply/rebasing" ]; then rebase=yes; fi
[ "${2-}" != message ] || [ ! -f "$dir/rebase-merge/amend" ] || rebase='' # a new commit while a rebase is stopped at `edit`
new=$(tip=$tip rebase=$rebase from=${0##*/}:${2-} task=$task file=$1 LC_ALL=C awk '
# include add-trailers.awk
' "$1") || exit $(($? != 1)) # 1: there is no message; any other status: awk failed
printf '%s\n' "$new" >"$1"
