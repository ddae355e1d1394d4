# The question of read-open-gates.sh, and a first line more: the file that git runs before a commit. Other tools write hooks,
# too, so check that it is ours (line 2 has a mark) or calls ours by a line. husky's own file is above its folder.
ledger=refs/heads/devs/ledger end='
'
oids=$(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q --git-path hooks/pre-commit "$ledger^{tree}" $ledger $ledger:open 2>/dev/null)
slot=${oids%%"$end"*} oids=${oids#*"$end"} mark=''
# include parse-oids.sh
for file in "$slot.legacy" "$slot"; do
  case $mark in '# devs-git hook'*) ;; *) [ ! -f "$file" ] || { read -r _ && read -r mark; } <"$file" ;; esac
done
for file in "$slot" "${slot%/*}/../pre-commit"; do
  case $mark in '# devs-git hook'*) continue ;; esac
  [ -f "$file" ] && [ -x "$slot" ] && [ -x "$common/devs/hooks/pre-commit" ] || continue
  while read -r line || [ "$line" ]; do
    case $line in '#'*) ;; */devs/hooks/pre-commit\;*) mark='# devs-git hook' ;; esac
  done <"$file"
done
case $tip:$GIT_DIR:$mark in
  :* | *:'# devs-git hook'*) ;;
  *:"$common":*) echo 'devs-git: warning: git does not call the hooks of devs-git here, so an open gate stops no commit. Run: devs-git init' >&2 ;;
esac
