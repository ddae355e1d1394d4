# Refuse while a gate is open.
# include read-open-gates.sh
if [ ! "$tip$open" ] && [ -d "${common-}/devs/newest" ]; then
  # A git prune at the same time may have deleted the newest event. devs/newest has a copy.
  @PYTHON@ -P -m devs_git hook newest 2>/dev/null
# include read-open-gates.sh
fi
case $tip:$open in
  ?*: | *:4b825dc642cb6eb9a060e54bf8d69288fbee4904) # the empty tree
# include check-tip.sh
    ;;
  :)
    echo 'devs-git: LEDGER_MISSING: this repository is frozen, because its ledger (the branch devs/ledger) is missing or damaged.' >&2
    echo 'devs-git: To restore it, run: devs-git doctor' >&2
    exit 1
    ;;
  *)
    gate=$(GIT_NO_REPLACE_OBJECTS=1 git ls-tree --name-only "$open")
    gate=${gate%%[!0-9A-Za-z-]*}
    echo "devs-git: GATE_BLOCKED: this repository is frozen, because gate $gate waits for a person's decision." >&2
    echo "devs-git: See it: devs-git gate show $gate" >&2
    exit 1
    ;;
esac
