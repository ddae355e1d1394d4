# A message of one paragraph, with no trailers but ours, needs no further process. add-trailers.awk handles all other messages,
# and would give the same result here. A line that begins with a letter or a digit is never a comment.
text='' kept='' has_task='' ended='' newline='
'
while IFS= read -r line || [ "$line" ]; do
  case $line in
    '' | Devs-Ledger:\ *) ended=yes ;;
    Devs-Task:\ * | Devs-Agent:\ * | Devs-Client:\ * | Devs-Phase:\ *)
      ended=yes
      case $line in Devs-Task*) has_task=yes ;; esac
      case $newline$kept in *"$newline$line$newline"*) ;; *) kept=$kept$line$newline ;; esac ;;
    [!0-9A-Za-z]* | Devs-* | Signed-off-by:*) text='' && break ;;
    *) if [ "$ended" ]; then text='' && break; fi && text=$text$line$newline ;;
  esac
done <"$1"
[ "$has_task$rebase" ] || [ ! "$task" ] || kept=$task$newline # a rebase gives the active task no older commits
if [ "$text" ]; then
  printf '%s\n%sDevs-Ledger: %s\n' "$text" "$kept" "$tip" >"$1" && exit
fi
