# An event is a commit above the tip that says so. The first tip of all has nothing below it.
if [ "$event" ] && { git rev-parse -q --verify $ledger >/dev/null; [ $? != 1 ]; }; then # a git that died says no such thing
  git merge-base --is-ancestor $ledger "$event" || refuse 'LEDGER_ROLLBACK: the ledger only grows'
  case $(git cat-file commit "$event") in
    *"
Devs-Event: "*) ;;
    *) refuse 'LEDGER_MUTATED: only devs-git writes events to the ledger' ;;
  esac
fi
