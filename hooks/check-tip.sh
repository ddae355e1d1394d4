# If the tip is not the one that devs-git checked last (after a plain git fetch, for example), Python checks the ledger.
checked=''
if [ -f "${common-}/devs/checked-tip" ]; then read -r checked <"$common/devs/checked-tip"; fi
if [ "${common-}" ] && [ "$checked" != "$tip" ]; then
  @PYTHON@ -P -m devs_git hook checked || exit 1
fi
