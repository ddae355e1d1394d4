# Whether a call may write, by the beginning of its payload. Python decides again, and knows commands that only read.
may_write() {
  case $event in before | PostToolUse* | AfterTool) ;; prompt | Stop | SessionEnd | AfterAgent) return 0 ;; *) return 1 ;; esac
  tool=${1#*'"tool_name":'} tool=${tool#*\"} tool=${tool%%\"*}
# include agent/known-tools.sh
  case " $reads " in *" $tool "*) return 1 ;; esac
  # A moment that was begun before the prompt may still be made: then a tool that edits files waits, too.
  case " $edits " in *" $tool "*) [ "$event" = before ] && [ -e "$own/behind" ] ;; esac
}
