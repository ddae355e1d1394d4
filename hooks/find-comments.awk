  # Find the comment character; git is asked only if a line may be a comment. Find the scissors line, after which git cuts off.
  c = "#"; cutter = " ------------------------ >8 ------------------------"
  while (odd && ("git config --get-regexp core.comment" | getline) > 0) if ($1 ~ /^core\.comment(char|string)$/) c = substr($0, length($1) + 2)
  if (auto = c == "auto") c = "#"
  for (i = 1; i <= n && !cut; i++) if (line[i] == c cutter || auto && index(line[i], cutter) == 2) { cut = i; c = substr(line[i], 1, length(c)) }
