// The inventory of an environment without Python: what a plain POSIX shell can tell.
import type { Inventory } from './inventory-facts.js'

/** Arguments: names of programs to look for. Each line: what it is, a name, values; parted by tabs. */
export const SHELL_INVENTORY = `
tab="$(printf '\\t')"
say() { printf '%s' "$1"; shift; for one in "$@"; do printf '\\t%s' "$one"; done; echo; }
for name in "$@"; do
  path="$(command -v "$name")" || continue
  case "$name" in
    java) question="-Xmx64m -XX:-UsePerfData -version" ;;
    javac) question="-J-Xmx64m -J-XX:-UsePerfData -version" ;;
    ffmpeg) question=-version ;; go) question=version ;; *) question=--version ;;
  esac
  say executable "$name" "$path" "$("$path" $question </dev/null 2>&1 | head -n 1 | tr -d "$tab" | cut -c 1-200)"
done
say cpuCount "$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null)"
say limit openFiles "$(ulimit -n)" 1
say limit cpuSeconds "$(ulimit -t)" 1
say limit fileBytes "$(ulimit -f)" 512
for folder in "$PWD" "$HOME" "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm; do
  file="$folder/.mendloop-$$"
  if (: > "$file") 2>/dev/null; then rm -f "$file"; say writable "$folder"; fi
done
say locale "\${LC_ALL:-\${LC_CTYPE:-\${LANG:-C}}}"
say user "$(id -u)"
`

/** What the lines of {@link SHELL_INVENTORY} say; a line that says nothing known is passed over. */
export function readShellInventory(output: string): Omit<Inventory, 'node'> {
  const lines = output.split('\n').map((line) => line.split('\t'))
  const of = (kind: string): string[][] =>
    lines.filter(([first]) => first === kind).map(([, ...rest]) => rest)
  const cpuCount = Number(of('cpuCount')[0]?.[0])
  const locale = of('locale')[0]?.[0]
  return {
    executables: Object.fromEntries(
      of('executable').flatMap(([name, path, line = '']) => {
        if (name === undefined || path === undefined || !path.startsWith('/')) return []
        const version = /\d+(\.\d+)+\S*/.exec(line)?.[0].replace(/["(),;]/g, '')
        return [[name, version === undefined ? { path } : { path, version }]]
      }),
    ),
    ...(cpuCount >= 1 && { cpuCount }),
    limits: Object.fromEntries(
      of('limit').flatMap(([name = '', value, unit]) =>
        /^\d+$/.test(value ?? '') ? [[name, Number(value) * Number(unit)]] : [],
      ),
    ),
    network: 'unknown',
    writableFolders: [...new Set(of('writable').map(([folder = '']) => folder))],
    ...(locale !== undefined && { locale }),
    isRoot: of('user')[0]?.[0] === '0',
  }
}
