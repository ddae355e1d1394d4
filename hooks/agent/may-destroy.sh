# Whether the tool's input has a word of a command that may destroy something: too many words rather than too few.
may_destroy() {
  [ "$event" = before ] || return 1
  input=${1#*'"tool_input":'}
  for word in branch checkout cherry-pick clean filter- merge pull read-tree rebase reset restore revert stash submodule switch \
    update-ref worktree delete drop prune rmdir rmtree shred unlink wipe; do
    case $input in *"$word"*) return 0 ;; esac
  done
  # A line end is \n in JSON.
  for word in rm srm del trash mv dd cp ln tee install sed fd fdfind; do
    case $input in *[!A-Za-z]"$word"[!A-Za-z]* | *\\[nrt]"$word"[!A-Za-z]*) return 0 ;; esac
  done
  names_script || may_overwrite
}

# Whether the command names a script, or a tool that reads its commands from a file. Python looks into it.
names_script() {
  case $input in
    *.py* | *.sh* | *.bash* | *.js* | *.mjs* | *.cjs* | *.ts* | *.rb* | *.pl* | *.php* | *python*-[mc]* | *'bash '* | *'sh '*) return 0 ;;
    *'<<'* | *rimraf* | *[!A-Za-z.]./[A-Za-z_]* | *node*-e* | *perl*-* | *ruby*-* | *xargs* | *find*-exec* | *make*-[Cf]*) return 0 ;;
    *make*) [ -f "$w/Makefile" ] || [ -f "$w/makefile" ] || [ -f "$w/GNUmakefile" ] ;;
    *npm* | *yarn* | *bun*) [ -f "$w/package.json" ] ;;
    *) return 1 ;;
  esac
}
