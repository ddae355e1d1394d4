# What is open, by one git child that tells the ledger's tip: two oids = nothing open, three = frozen, none = the ledger is
# gone or cannot be read, and with it the answer. git prints what it cannot find as it stands.
tree='' tip='' open='' ledger=refs/heads/devs/ledger
for oid in $(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q "$ledger^{tree}" $ledger $ledger:open 2>/dev/null); do
  case $oid in *[!0-9a-f]*) break ;; esac
  open=${tip:+$oid} tip=${tree:+${tip:-$oid}} tree=${tree:-$oid}
done
