# From the environment that git gives its hooks: this worktree's git directory, the common one, and the worktree's name.
dir=${GIT_DIR:-.git} common=${GIT_DIR:-.git} own=.
if [ -f "$dir/commondir" ]; then
  own=${dir##*/} && read -r common <"$dir/commondir"
  case $common in /*) ;; *) common=$dir/$common ;; esac
fi
# If a devs-git command started this git, DEVS_GIT_OP names its operation. That command records the commit itself.
case ${DEVS_GIT_OP-} in '' | *[!0-9A-Za-z-]*) ;; *) [ ! -f "$common/devs/journal/$DEVS_GIT_OP.json" ] || exit 0 ;; esac
