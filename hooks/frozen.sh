# Refuse while a gate is open. One git child decides, and tells the ledger's tip: two oids = nothing open, three = frozen,
# none = the ledger is gone or cannot be read, and with it the answer. git prints what it cannot find as it stands.
tree='' tip='' open='' ledger=refs/heads/devs/ledger
for oid in $(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q "$ledger^{tree}" $ledger $ledger:open 2>/dev/null); do
  case $oid in *[!0-9a-f]*) break ;; esac
  open=${tip:+$oid} tip=${tree:+${tip:-$oid}} tree=${tree:-$oid}
done
case $tip:$open in
  ?*: | *:4b825dc642cb6eb9a060e54bf8d69288fbee4904) ;; # the empty tree
  :)
    echo 'devs-git: LEDGER_MISSING: this repository is frozen, because its ledger, the branch devs/ledger, is gone or damaged.' >&2
    echo 'devs-git: Put it back; see: devs-git doctor' >&2
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
