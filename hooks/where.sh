# Where we are, as git tells its hooks: this worktree's git directory, the common one, and the worktree's name.
dir=${GIT_DIR:-.git} common=${GIT_DIR:-.git} own=.
if [ -f "$dir/commondir" ]; then
  own=${dir##*/} && read -r common <"$dir/commondir"
  case $common in /*) ;; *) common=$dir/$common ;; esac
fi
# A git that one of our commands started says for which operation; what it commits, that command records itself.
case ${DEVS_GIT_OP-} in '' | *[!0-9A-Za-z-]*) ;; *) [ ! -f "$common/devs/journal/$DEVS_GIT_OP.json" ] || exit 0 ;; esac
