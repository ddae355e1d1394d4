BEGIN { c = ENVIRON["comment"]; auto = c == "auto"; if (auto || c == "") c = "#"; cutter = " ------------------------ >8 ------------------------" }
!cut && ($0 == c cutter || auto && index($0, cutter) == 2) { cut = NR; c = substr($0, 1, length(c)) }
{ line[NR] = $0 }
END {
  given = ENVIRON["from"] ~ /^prep.*:message$/ && !ENVIRON["rebase"] # by -m or -F: a line that begins like a comment is text
  for (i = 1; i <= NR && (!cut || i < cut); i++) {
    if (ours[i] = line[i] ~ /^Devs-(Task|Agent|Client|Phase|Ledger): /) {
      if (line[i] ~ /^Devs-Task/) named = 1
      if (line[i] !~ /^Devs-Ledger/ && !seen[line[i]]++) kept = kept line[i] "\n" # a squash brings those of each commit
    } else if (line[i] !~ /^[ \t]*$/) {
      comment = index(line[i], c) == 1
      if (!comment || given) { many = many || last && last < i - 1; last = i }
      if (!(comment && (!given || line[i] ~ /^.([ \t]|$)/)) && line[i] !~ /^Signed-off-by: /) text = 1
    }
  }
  if (!named && !ENVIRON["rebase"] && ENVIRON["task"]) kept = ENVIRON["task"] "\n" # a rebase claims no commits of before
  if (!text) exit 1
  parse = "git -c \"trailer.separators=$separators\" interpret-trailers --parse --no-divider \"$file\""
  while (many && (parse | getline trailer) > 0) if (trailer !~ /^Devs-/) others = 1
  for (i = 1; i <= NR; i++) {
    if (!ours[i]) print line[i]
    if (i == last) printf "%s%sDevs-Ledger: %s\n", others || line[i] ~ /^\(cherry picked from commit / ? "" : "\n", kept, ENVIRON["tip"]
  }
}
