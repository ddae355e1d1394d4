# One git child reads the ledger's tip and the open gates. Two oids: no gate is open. Three: frozen. None: the ledger is
# missing or unreadable, so nobody knows. git prints a name that it cannot find unchanged.
ledger=refs/heads/devs/ledger
oids=$(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q "$ledger^{tree}" $ledger $ledger:open 2>/dev/null)
# include parse-oids.sh
