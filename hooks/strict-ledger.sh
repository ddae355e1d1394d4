# An event is a commit above the tip, with a Devs-Event trailer. The very first tip has no event below it.
if [ "$event" ] && { git rev-parse -q --verify $ledger >/dev/null; [ $? != 1 ]; }; then # any other status: git failed
  git merge-base --is-ancestor $ledger "$event" || refuse 'LEDGER_ROLLBACK: the ledger may only grow'
  case $(git cat-file commit "$event") in
    *"
Devs-Event: "*) ;;
    *) refuse 'LEDGER_MUTATED: only devs-git may write to the ledger' ;;
  esac
fi
