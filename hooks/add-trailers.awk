{ line[NR] = $0; if ($0 ~ /^[^0-9A-Za-z \t]/) odd = 1 }
END {
  n = NR # getline changes NR
# include find-comments.awk
  given = ENVIRON["from"] ~ /^prep.*:message$/ && !ENVIRON["rebase"] # -m or -F: git keeps lines that look like comments
  for (i = 1; i <= n && (!cut || i < cut); i++) {
    if (ours[i] = line[i] ~ /^Devs-(Task|Agent|Client|Phase|Ledger): /) {
      if (line[i] ~ /^Devs-Task/) has_task = 1
      if (line[i] !~ /^Devs-Ledger/ && !seen[line[i]]++) kept = kept line[i] "\n" # a squash has the trailers of each commit
    } else if (line[i] !~ /^[ \t]*$/) {
      comment = index(line[i], c) == 1
      if (!comment || given) { many = many || last && last < i - 1; last = i }
      if (!(comment && (!given || line[i] ~ /^.([ \t]|$)/)) && line[i] !~ /^Signed-off-by: /) text = 1
      if (line[i] ~ /^(\(cherry|[0-9A-Za-z-]+[ \t]*[^0-9A-Za-z \t-])/) keyed = 1 # a trailer is a key and a separator
    }
  }
  if (!has_task && !ENVIRON["rebase"] && ENVIRON["task"]) kept = ENVIRON["task"] "\n" # a rebase gives the active task no older commits
  if (!text) exit 1
  parse = "git -c \"trailer.separators=:$(git config trailer.separators)\" interpret-trailers --parse --no-divider \"$file\""
  while (many && keyed && (parse | getline trailer) > 0) if (trailer !~ /^Devs-/) others = 1
  for (i = 1; i <= n; i++) {
    if (!ours[i]) print line[i]
    if (i == last) printf "%s%sDevs-Ledger: %s\n", others || line[i] ~ /^\(cherry picked from commit / ? "" : "\n", kept, ENVIRON["tip"]
  }
}
