# As open.sh asks; the first line is the file that git would run before a commit. Does it still call ours? Tools beside
# us write hooks, too. Ours have a mark in line 2; else a line of a hook calls ours, husky's being above its folder.
ledger=refs/heads/devs/ledger end='
'
oids=$(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q --git-path hooks/pre-commit "$ledger^{tree}" $ledger $ledger:open 2>/dev/null)
slot=${oids%%"$end"*} oids=${oids#*"$end"} mark=''
# include oids.sh
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
  *:"$common":*) echo 'devs-git: warning: git does not call our hooks here, so that an open gate stops no commit. Run: devs-git init' >&2 ;;
esac
