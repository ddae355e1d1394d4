BEGIN { c = ENVIRON["comment"]; auto = c == "auto"; if (auto || c == "") c = "#"; cutter = " ------------------------ >8 ------------------------" }
!cut && ($0 == c cutter || auto && index($0, cutter) == 2) { cut = NR; c = substr($0, 1, length(c)) }
{ line[NR] = $0 }
END {
  given = ENVIRON["from"] ~ /^prep.*:message$/ && !ENVIRON["rebase"] # by -m or -F: a line that begins like a comment is text
  for (i = 1; i <= NR && (!cut || i < cut); i++) {
    if (ours[i] = line[i] ~ /^Devs-(Task|Agent|Client|Phase|Ledger): /) {
      if (line[i] ~ /^Devs-Task/) named = 1
      if (line[i] ~ /^Devs-Ledger/) bound++
      else if (!seen[line[i]]++) kept = kept line[i] "\n" # a squash brings those of each commit
      continue
    }
    if (line[i] ~ /^[ \t]*$/) continue
    comment = index(line[i], c) == 1
    if (!comment || given) last = i
    if (!(comment && (!given || line[i] ~ /^.([ \t]|$)/)) && line[i] !~ /^Signed-off-by: /) text = 1
  }
  # Rebase rewrites commits of other times, which stay of the task that they were of, or of none.
  if (!text || !named && ENVIRON["rebase"] || ENVIRON["from"] ~ /^commit-msg/ && named && bound == 1) exit 1
  trailers = (named ? kept : ENVIRON["task"] "\n") (ENVIRON["tip"] ? "Devs-Ledger: " ENVIRON["tip"] "\n" : "")
  for (i = 1; i <= NR; i++) {
    if (!ours[i]) print line[i]
    if (i == last) printf "%s%s", ENVIRON["others"] || line[i] ~ /^\(cherry picked from commit / ? "" : "\n", trailers
  }
}
