# Python is started where a checkpoint stands on a rewritten commit, or the active task's commit was amended. Where git
# cannot tell (more commits than fit into one command line), Python looks.
if [ "$1" != amend ] || [ ! -f "$dir/devs/task" ]; then
  of=$(sed 's/ .*//; s/^/--points-at=/' <<REWRITTEN
$rewritten
REWRITTEN
)
  concerned=$(git for-each-ref --count=1 $of refs/devs/checkpoints refs/tags/devs 2>/dev/null) && [ ! "$concerned" ] && exit 0
fi
