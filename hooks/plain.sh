# The plainest message, one paragraph and at most trailers of ours, needs no other process than git's: trailers.awk, which
# knows all others, would make the same of it. A line that begins with a letter or a digit is no comment in any repository.
text='' kept='' named='' ended='' newline='
'
while IFS= read -r line || [ "$line" ]; do
  case $line in
    '' | Devs-Ledger:\ *) ended=yes ;;
    Devs-Task:\ * | Devs-Agent:\ * | Devs-Client:\ * | Devs-Phase:\ *)
      ended=yes
      case $line in Devs-Task*) named=yes ;; esac
      case $newline$kept in *"$newline$line$newline"*) ;; *) kept=$kept$line$newline ;; esac ;;
    [!0-9A-Za-z]* | Devs-* | Signed-off-by:*) text='' && break ;;
    *) if [ "$ended" ]; then text='' && break; fi && text=$text$line$newline ;;
  esac
done <"$1"
[ "$named$rebase" ] || [ ! "$task" ] || kept=$task$newline # a rebase claims no commits of before
if [ "$text" ]; then
  printf '%s\n%sDevs-Ledger: %s\n' "$text" "$kept" "$tip" >"$1" && exit
fi
