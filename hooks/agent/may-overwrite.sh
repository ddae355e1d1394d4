# Whether the command ($input) may write over a file that it names: with a redirection, an option for its output, or a program
# that is known to do so. Such a file may be ignored, and then nothing else shows that it changed.
may_overwrite() {
  for word in tar unzip jar 7z curl wget rsync scp gzip gunzip patch sqlite3 truncate sponge; do
    case $input in *[!A-Za-z]"$word"[!A-Za-z]* | *\\[nrt]"$word"[!A-Za-z]*) return 0 ;; esac
  done
  case $input in *' -o'* | *' --out'* | *' -out'* | *' --write'* | *' -w '* | *' -i'* | *\\u003[eE]*) return 0 ;; esac
  rest=$input
  while :; do
    case $rest in *'>'*) rest=${rest#*'>'} ;; *) return 1 ;; esac
    case $rest in
      '>'*) rest=${rest#'>'} ;; # what is appended destroys nothing
      '&'[0-9-]* | '/dev/null'* | ' /dev/null'* | '='* | '('*) ;;
      *) return 0 ;;
    esac
  done
}
