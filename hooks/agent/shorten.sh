# If the policy says so, Python hands on a shortened form of a long output. The file `shorten` follows the policy in force.
# A payload of at most 30000 bytes has no long output.
if [ -f "$common/devs/shorten" ] && size=$(wc -c <"$spool/.$id") && [ "$size" -gt 30000 ]; then
  mv "$spool/.$id" "$spool/$id.$1.$2" && exec @PYTHON@ -P -m devs_git hook after-tool "$common" "$spool/$id.$1.$2"
fi
