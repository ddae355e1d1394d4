#!/bin/sh
# devs-git hook
# The line that `agent install` puts into a client's project file sources this script after `set -- <client> <event>`.
# $w is the folder in which the client ran, $g the git directory of the project. Standard input is the client's payload.
case $g in /*) ;; *) g=$PWD/$g ;; esac
common=${g%/worktrees/*}
# $here: the git directory of the worktree around $w, in which the tool works, and $top its folder. Usually it is the project's.
here=$g top=$PWD
if [ "$w" != "$PWD" ]; then
  top=$w
  until [ -e "$top/.git" ] || [ ! "$top" ]; do top=${top%/*}; done
  here=$top/.git
  if [ -f "$here" ]; then
    read -r _ here <"$here"
    case $here in /*) ;; *) here=$top/$here ;; esac
  fi
fi
tool_common=${here%/worktrees/*}
[ ! "$tool_common" -ef "$common" ] || tool_common=$common
# include agent/guard.sh
# include agent/recall.sh
# include agent/note-turn.sh
# include agent/moment.sh
# include agent/capture.sh
