# Somebody may have moved the ledger without us, as a plain git fetch does: then Python asks whether it is to be believed.
checked=''
if [ -f "${common-}/devs/checked-tip" ]; then read -r checked <"$common/devs/checked-tip"; fi
if [ "${common-}" ] && [ "$checked" != "$tip" ]; then
  @PYTHON@ -P -m devs_git hook checked || exit 1
fi
