# What the user set that says what a line of the message is. A message of one line needs none of it, nor a process.
if { IFS= read -r line && { IFS= read -r line || [ "$line" ]; }; } <"$1"; then
  set_here=$(git config --get-regexp '^(core\.comment(char|string)|trailer\.separators)$')
  while IFS=' ' read -r key value; do
    case $key in core.*) comment=$value ;; trailer.*) separators=:$value ;; esac
  done <<SETTINGS
$set_here
SETTINGS
fi
