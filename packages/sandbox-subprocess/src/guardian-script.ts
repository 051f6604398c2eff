// The guardian's program, run by /bin/sh: it outlives its host for as long as it takes to clean up.

/**
 * Reads one order a line from standard input: `+dir PATH`, `-dir PATH`, `+group ID`, `-group ID`. At end of file the
 * host is gone: it kills the groups and every process with the host's marker ($1), then removes the folders.
 */
export const GUARDIAN_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
cd /
newline='
'
dirs=$newline
groups=$newline
without() {
  case $1 in *"$newline$2$newline"*) left=\${1%%"$newline$2$newline"*}$newline\${1#*"$newline$2$newline"} ;; *) left=$1 ;; esac
}
while IFS= read -r order; do
  what=\${order%% *}
  value=\${order#* }
  case $what in
    +dir) dirs=$dirs$value$newline ;;
    -dir) without "$dirs" "$value"; dirs=$left ;;
    +group) groups=$groups$value$newline ;;
    -group) without "$groups" "$value"; groups=$left ;;
  esac
done
set -f
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
set +f
round=0
while [ $round -lt 50 ]; do
  found=$(grep -alsF "$1" /proc/[0-9]*/environ)
  [ -z "$found" ] && break
  for path in $found; do pid=\${path#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null; done
  round=$((round + 1))
done
set -f
IFS=$newline
for dir in $dirs; do
  [ -z "$dir" ] && continue
  rm -rf -- "$dir" 2>/dev/null || { chmod -R u+rwx -- "$dir"; rm -rf -- "$dir"; } 2>/dev/null
done
`
