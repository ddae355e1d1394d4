# Become a git in the worktree, with the private index that has all files of the newest moment. Call it in a subshell.
ask() {
  unset GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE
  export GIT_DIR="$here" GIT_INDEX_FILE="$own/index" GIT_OPTIONAL_LOCKS=0
  cd "$top" && exec git -c core.fsmonitor=false -c core.checkStat=default -c core.trustctime=true -c core.ignoreStat=false "$@"
} 2>/dev/null

# Whether HEAD, index and files are as in the newest moment, and before a call also branches and stash. If Python starts in any
# case ($why), the answer is no: Python takes what was seen. A prompt waits 0.12
# seconds for the answer, a call 5. After a start of the machine, Python looks whether the newest moment is whole.
is_unchanged() {
  [ -f "$own/last" ] && { read -r head_file && read -r head && read -r index && read -r refs && read -r _ && read -r started; } <"$own/last" || return
  now=; { read -r now </proc/sys/kernel/random/boot_id; } 2>/dev/null; [ "$now" = "$started" ] || return
  { read -r now <"$here/HEAD"; } 2>/dev/null && [ "$now" = "$head_file" ] || return
  oid=$now; case $now in 'ref: '*) { read -r oid <"$tool_common/${now#ref: }"; } 2>/dev/null || oid=$(ask rev-parse -q --verify HEAD) ;; esac
  [ "$oid" = "$head" ] || return
  # What was left out, such as a repository of its own, is listed each time: it may be an ordinary file now, and only Python
  # knows. Several gits at once are quicker than one that answers all questions. Python takes their answers, too.
  seen=$own/.seen.$$
  { : >"$seen.new" && : >"$seen.files"; } 2>/dev/null || return
  [ "$event" != before ] || { ask for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash >"$seen.refs" & listed=$!; }
  ask diff-files -z --name-only --no-ext-diff --ignore-submodules=dirty >"$seen.files" & files=$!
  ask ls-files -z -o --exclude-standard >"$seen.new" & new=$!
# include agent/sums.sh
}
