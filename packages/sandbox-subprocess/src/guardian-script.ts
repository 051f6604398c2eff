// The guardian's program, run by /bin/sh: it outlives its host for as long as it takes to clean up.

/**
 * Reads one order a line from standard input: `+dir PATH`, `-dir PATH`, `+group ID`, `-group ID`,
 * `+cgroup PATH`, `-cgroup PATH`. At end of file the
 * host is gone: it kills the groups, every process with the host's marker ($1) and every one that works in one of the
 * folders, then removes the folders and the control groups, which are free once the last process in them has gone.
 */
export const GUARDIAN_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
cd /
newline='
'
dirs=$newline
groups=$newline
cgroups=$newline
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
    +cgroup) cgroups=$cgroups$value$newline ;;
    -cgroup) without "$cgroups" "$value"; cgroups=$left ;;
  esac
done
set -f
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
set +f
marked() {
  for path in $(grep -alsF "$1" /proc/[0-9]*/environ); do pid=\${path#/proc/}; echo "\${pid%/environ}"; done
}
marks=
ls -dq / >/dev/null 2>&1 && marks=q
# One line of ls a process: "... /proc/ID/cwd -> FOLDER", with "?" for a line break in a name.
inside() {
  ls "-ld$marks" /proc/[0-9]*/cwd 2>/dev/null | while IFS= read -r line; do
    cwd=\${line#*/cwd -> }
    pid=\${line%%/cwd -> *}
    top=\${cwd%% (deleted)}
    while :; do
      case $dirs in *"$newline$top$newline"*) echo "\${pid##*/proc/}"; break ;; esac
      case $top in */*) top=\${top%/*} ;; *) break ;; esac
    done
  done
}
round=0
while [ $round -lt 50 ]; do
  found="$(marked "$1") $(inside)"
  case $found in *[0-9]*) ;; *) break ;; esac
  for pid in $found; do kill -s KILL "$pid" 2>/dev/null; done
  round=$((round + 1))
done
set -f
IFS=$newline
for dir in $dirs; do
  [ -z "$dir" ] && continue
  rm -rf -- "$dir" 2>/dev/null || { chmod -R u+rwx -- "$dir"; rm -rf -- "$dir"; } 2>/dev/null
done
set +f
round=0
while [ $round -lt 100 ]; do
  left=
  for cgroup in $cgroups; do
    [ -d "$cgroup" ] || continue
    rmdir "$cgroup"/[0-9]* 2>/dev/null
    rmdir "$cgroup" 2>/dev/null || left=some
  done
  [ -z "$left" ] && break
  sleep 0.05
  round=$((round + 1))
done
`
