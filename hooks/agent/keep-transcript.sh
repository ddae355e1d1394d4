# A client deletes its transcripts after some weeks. A second name for each file that the payload ($1) tells of keeps it until
# devs-git has read it. On another file system a copy does, which is made once, at the end of the session.
keep_transcript() {
  folder=$common/devs/transcripts
  for field in '"transcript_path":' '"agent_transcript_path":'; do
    case $1 in *"$field"*) file=${1#*"$field"} ;; *) continue ;; esac
    file=${file#*\"} file=${file%%\"*}
    case $file in *\\*) continue ;; /*.jsonl) ;; *) continue ;; esac
    kept=$folder/${file##*/}
    if [ ! -f "$file" ] || [ -L "$file" ] || [ "$file" -ef "$kept" ]; then continue; fi
    [ -d "$folder" ] || (umask 077 && exec mkdir -p "$folder")
    if [ -L "$common/devs" ] || [ -L "$folder" ]; then return; fi
    ln -f "$file" "$kept" || [ "$event" != SessionEnd ] || { rm -f "$kept" && cp -p "$file" "$kept"; }
  done 2>/dev/null
}
