tree='' tip='' open=''
for oid in $oids; do
  case $oid in *[!0-9a-f]*) break ;; esac
  open=${tip:+$oid} tip=${tree:+${tip:-$oid}} tree=${tree:-$oid}
done
