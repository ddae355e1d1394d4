# End here if no checkpoint is on a rewritten commit and no commit of the active task was amended. If git cannot answer
# (more commits than fit into one command line), Python looks.
if [ "$1" != amend ] || [ ! -f "$dir/devs/task" ]; then
  points_at=$(sed 's/ .*//; s/^/--points-at=/' <<REWRITTEN
$rewritten
REWRITTEN
)
  found=$(git for-each-ref --count=1 $points_at refs/devs/checkpoints refs/tags/devs 2>/dev/null) && [ ! "$found" ] && exit 0
fi
