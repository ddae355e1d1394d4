# Note for prepare-commit-msg of the same git process: no gate is open at this tip. A link is never written through.
note=$common/devs/nothing-open
if [ -f "$note" ] && [ ! -L "$note" ] && [ ! -L "$common/devs" ]; then
  IFS=' ' read -r noted_tip noted_pid <"$note"
  [ "$noted_tip" != "$tip" ] || { echo "$tip $PPID" >"$note"; } 2>/dev/null
fi
