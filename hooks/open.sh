# What is open, by one git child that tells the ledger's tip: two oids = nothing open, three = frozen, none = the ledger is
# gone or cannot be read, and with it the answer. git prints what it cannot find as it stands.
ledger=refs/heads/devs/ledger
oids=$(GIT_NO_REPLACE_OBJECTS=1 git rev-parse -q "$ledger^{tree}" $ledger $ledger:open 2>/dev/null)
# include oids.sh
