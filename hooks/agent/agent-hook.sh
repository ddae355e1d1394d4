#!/bin/sh
# devs-git hook
# Read by the line that `agent install` puts into a client's project file, after `set -- <client> <event>`. The line left
# the folder in $w and went to the project's top, whose git directory is $g. On standard input is the client's payload.
case $g in /*) ;; *) g=$PWD/$g ;; esac
common=${g%/worktrees/*}
# The worktree around $w, in which the tool works: the project's own as a rule.
here=$g
if [ "$w" != "$PWD" ]; then
  top=$w
  until [ -e "$top/.git" ] || [ ! "$top" ]; do top=${top%/*}; done
  here=$top/.git
  if [ -f "$here" ]; then
    read -r _ here <"$here"
    case $here in /*) ;; *) here=$top/$here ;; esac
  fi
fi
theirs=${here%/worktrees/*}
[ ! "$theirs" -ef "$common" ] || theirs=$common
# include agent/guard.sh
# include agent/capture.sh
