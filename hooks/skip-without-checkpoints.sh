# End here if no checkpoint is on a rewritten commit and no commit of the active task was amended. If git cannot answer
# (more commits than fit into one command line), Python looks. Which commits of an archive have a checkpoint, only Python knows.
if [ "$1" != amend ] || [ ! -f "$dir/devs/task" ]; then
  old=$(sed 's/ .*//' <<REWRITTEN
$rewritten
REWRITTEN
)
  found=$(git for-each-ref --count=1 $(printf ' --points-at=%s' $old) refs/devs/checkpoints refs/tags/devs 2>/dev/null &&
    git for-each-ref --count=1 $(printf ' --contains=%s' $old) refs/devs/checkpoints/archive 2>/dev/null) && [ ! "$found" ] && exit 0
fi
