  case $event in before | PostToolUse* | AfterTool) limit=5 ;; *) limit=0.12 ;; esac
  (sleep $limit & clock=$!; trap 'kill $clock; exit' TERM; wait $clock && kill $new $files) >/dev/null 2>&1 & timer=$!
  # The sums are computed while git reads the files.
  sum=$(cksum 2>/dev/null <"$here/index")
  [ "$sum" = "$index" ]; same=$?
  if [ "$event" = before ]; then
    if wait $listed; then
      [ ! -f "$tool_common/logs/refs/stash" ] || cat "$tool_common/logs/refs/stash" >>"$seen.refs"
    else : >"$seen.refs"; fi
    now=$(cksum <"$seen.refs")
    [ "$now" = "$refs" ] || same=1
  fi
  # With another index Python looks at everything, so there is nothing to wait for.
  whole=1
  { [ "$same" = 0 ] && wait $files && wait $new && whole=0; } 2>/dev/null
  kill $timer 2>/dev/null
  if [ "$same$whole" = 00 ] && [ ! -s "$seen.new" ] && [ ! -s "$seen.files" ] && [ ! "$why" ]; then
    [ ! "$saved" ] || wait $saved
    rm -f "$seen.new" "$seen.files" "$seen.refs" ${saved:+"$file"}; return
  fi
  # Without this file Python takes neither answer: they may be incomplete.
  [ "$whole" != 0 ] || printf '%s' "$sum" >"$seen.sum"
  return 1
