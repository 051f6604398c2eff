// What language a text looks like, for blocks without a tag or with a wrong one. Line by line, no grammar.

/** What {@link looksLike} can tell: a canonical language id, or one of `prose` and `console`. */
export type Look =
  | 'python'
  | 'shell'
  | 'javascript'
  | 'typescript'
  | 'json'
  | 'sql'
  | 'html'
  | 'xml'
  | 'diff'
  | 'c'
  | 'java'
  | 'go'
  | 'rust'
  | 'console'
  | 'prose'

/** Enough to know a language by; keeps huge texts cheap. */
const LINES_AT_MOST = 400
const CHARACTERS_A_LINE = 400

const COMMANDS = new Set(
  (
    'apt apt-get awk bash brew bun bunx cargo cat cd chmod chown cmake conda cp curl date deno df diff docker dotnet du echo ' +
    'env exit export find git go gradle grep gunzip gzip head helm id java javac jq kill kubectl ln ls make man mkdir mv mvn nano ' +
    'node npm npx pip pip3 pipx pnpm poetry printf ps pwd py pytest python python3 read rm rmdir rsync scp sed set sh sleep ' +
    'sort source ssh sudo tail tar tee test touch tr tree uname uniq unset unzip uv uvicorn vi vim wc wget which whoami xargs yarn zip'
  ).split(' '),
)
const NOT_AN_OPERATOR = String.raw`(?!\s*(?:[-+*/%|&^@:<>!=]?=[^=~]|[.,(:[)\]]|(?:in|is|and|or|if|for|not|as)\b))`
const SHELL_COMMAND = new RegExp(
  String.raw`^(?:sudo\s+|\w+=\S*\s+)*([a-z][a-z0-9-]*)(?=[\s;|&]|$)${NOT_AN_OPERATOR}`,
)
const SHELL_LINE =
  /^(?:(?:if|elif|while|until|for)\b.*;\s*(?:then|do)\b|(?:then|do|done|fi|esac|else)$|export\s+\w+=|[A-Z_][A-Z0-9_]*=(?:["'$\w/.]\S*|"[^"]*"|'[^']*')?$|\w+\s*\(\)\s*\{|\.\/\S|\$\(|["']?\$\{?\w|\[\s+(?:!\s+)?(?:-\w\s|\S+\s+(?:==?|!=|-\w\w)\s)|\[\[\s|set\s+-)/
/** The head of a loop or a condition; it is the shell's when `do` or `then` begins the next line. */
const SHELL_HEAD = /^(?:if|elif|while|until|for\s+\w+\s+in)\s/
/** What Python does not have, whole or broken. */
const SURELY_SHELL =
  /^(?:(?:if|elif|while|until|for)\b.*;\s*(?:then|do)\b|(?:then|do|done|fi|esac)\b|export\s+(?:-\w+\s+)?\w+(?:=|$)|\.\/|\$[\w({]|\w+\s*\(\)\s*\{|\[{1,2}\s+(?:!\s+)?(?:-[a-z]\s|\S+\s+(?:=|-[a-z]{2})\s))/
const PROMPT_LINE =
  /^(?:\$ |>>> |\.\.\. |In ?\[\d*\]: |Out\[\d+\]: |PS [A-Z]:.*> |[\w.-]+@[\w.-]+:\S*[$#] |Traceback \(most recent call last\))/
const PYTHON_LINE =
  /^(?:(?:async )?def \w+\s*[([].*|class \w+.*:|from [\w.]+ import .+|import [\w.]+(?: as \w+)?(?:,.*)?|(?:if|elif|for|while|with|async for|async with)\b.*:(?:\s*#.*)?|(?:else|try|finally):.*|except\b.*:|@\w[\w.]*(?:\(.*\))?|print\(.*|return\b(?!.*;$).*|raise \w.*|assert .*[^;]|lambda .*|(?:(?:if|elif|for|while|with|except|async for|async with)\s.+|else|try|finally):\s*(?:\w[\w.]*(?:\(|(?:\[.*\])?\s*[-+*/]?=[^=])|(?:pass|break|continue|return|yield|raise)\b).*|pass|yield\b.*|\w+\.append\(.*\)|[a-z_]\w*(?:\s*:\s*[\w[\], .]+)?\s*[-+*/]?=\s*[^=>].*[^;{])$/
const SCRIPT_LINE =
  /^(?:(?:export\s+(?:default\s+)?)?(?:const|let|var)\s+[\w${[].*|(?:export\s+(?:default\s+)?)?(?:async\s+)?function\s*\*?\s*\w*\s*[(<].*|(?:export\s+)?class\s+\w+.*\{$|import\s+(?:.*\sfrom\s+)?['"].*|export\s+[{*d].*|module\.exports\b.*|console\.\w+\(.*|.*\brequire\(['"].*|.*=>\s*[{(\w[`'"].*|\}\s*(?:else|catch|finally)\b.*|(?:if|for|while|switch)\s*\(.*\)\s*\{|return\b.*;|\}\)?;?|['"]use strict['"];?|process\.\w+.*|document\.\w+.*|(?:await\s+)?\w[\w.]*\(.*\);)$/
const TYPED_LINE =
  /^(?:(?:export\s+)?(?:interface\s+\w+|type\s+\w+(?:<.*>)?\s*=|enum\s+\w+|declare\s)|import\s+type\b|.*(?:[\w)\]]\??\s*:\s*(?:string|number|boolean|unknown|any|void|never|Promise<|Array<|Record<|Map<|Set<|readonly\s|[A-Z]\w*\[\])|\bas\s+(?:const|unknown|any|string|number)\b|\bsatisfies\s)).*/
const SQL_LINE =
  /^(?:select\b.+|insert\s+into\b.*|update\s+\S+\s+set\b.*|delete\s+from\b.*|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:table|index|view|trigger|database)\b.*|alter\s+table\b.*|drop\s+(?:table|index|view)\b.*|with\s+\w+\s+as\s*\(.*|from\s+\w+(?:\s+(?:as\s+)?\w+)?|(?:left\s+|inner\s+)?join\s+\S+.*|where\s+.*[=<>].*|(?:group|order)\s+by\b.*|begin;|commit;|pragma\s.*)$/i
const C_LINE = /^(?:#include\s*[<"]|#define\s|int main\s*\(|(?:std::|printf\(|template\s*<|using namespace))/
const JAVA_LINE =
  /^(?:(?:public|private|protected)\s+(?:static\s+|final\s+|abstract\s+)*[\w<>[\]]+\s+\w+|package\s+[\w.]+;|import\s+java[\w.]*|System\.out\.)/
const GO_LINE = /^(?:package \w+$|func (?:\(\w+ \*?\w+\) )?\w+\(|fmt\.\w+\(|\w+ := )/
const RUST_LINE = /^(?:(?:pub )?fn \w+|let mut |use \w+::|impl\b|println!\(|#\[\w+)/
const COMMENT_LINE = /^(?:#(?!include|define|\[)|\/\/|\/\*|\*|--\s)/
const HTML_START =
  /^<(?:!doctype\s+html|html|head|body|div|span|p|ul|ol|table|section|main|nav|form|h[1-6]|script|style|template|svg)\b/i

/**
 * The language `text` looks like, or undefined when nothing speaks for one.
 *
 * A line speaks for a language when its form is usual there; the language with most lines wins when they are a
 * third of all. It never says what a text means to be, so a caller that was told a language asks its parser first.
 */
export function looksLike(text: string): Look | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const marked = byFirstCharacters(trimmed)
  if (marked !== undefined) return marked
  const lines = trimmed
    .split('\n', LINES_AT_MOST)
    .map((line) =>
      line
        .slice(0, CHARACTERS_A_LINE)
        .replace(/\s#\s.*$/, '')
        .trim(),
    )
    .filter((line) => line !== '')
  if (lines.some((line) => PROMPT_LINE.test(line)) && PROMPT_LINE.test(lines[0] ?? '')) return 'console'
  const code = lines.filter((line) => !COMMENT_LINE.test(line))
  return code.length === 0 ? undefined : byVotes(code)
}

function byFirstCharacters(text: string): Look | undefined {
  if (/^#!.*\b(?:bash|sh|zsh|dash)\b/.test(text)) return 'shell'
  if (/^#!.*\bpython/.test(text)) return 'python'
  if (/^#!.*\b(?:node|deno|bun)\b/.test(text)) return 'javascript'
  if (/^<\?xml\b/.test(text)) return 'xml'
  if (HTML_START.test(text)) return 'html'
  if (/^(?:diff --git |--- [^\n]+\n\+\+\+ |@@ -\d)|^<{5,9} ?SEARCH\b/m.test(text)) return 'diff'
  return isJson(text) ? 'json' : undefined
}

/** True for a JSON object or array. */
function isJson(text: string): boolean {
  if (!/^[{[]/.test(text) || !/[}\]]$/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function byVotes(lines: readonly string[]): Look | undefined {
  const share = (test: (line: string, index: number) => boolean): number =>
    lines.filter(test).length / lines.length
  const script = share((line) => SCRIPT_LINE.test(line))
  const typed =
    script > 0 || lines.some((line) => /[{};]$/.test(line)) ? share((line) => TYPED_LINE.test(line)) : 0
  const votes: readonly (readonly [look: Look, share: number])[] = [
    ['shell', share((line, index) => isShellLine(line, lines[index + 1]))],
    ['java', 1.5 * share((line) => JAVA_LINE.test(line))],
    ['c', 1.5 * share((line) => C_LINE.test(line))],
    ['go', 1.5 * share((line) => GO_LINE.test(line))],
    ['rust', 1.5 * share((line) => RUST_LINE.test(line))],
    ['sql', share((line) => SQL_LINE.test(line))],
    ['typescript', typed > 0 ? Math.max(script, typed) + 0.01 : 0],
    ['javascript', script],
    ['python', share((line) => PYTHON_LINE.test(line))],
    ['prose', share(isSentence)],
  ]
  const [best, weight] = votes.reduce((top, vote) => (vote[1] > top[1] ? vote : top))
  return weight >= 1 / 3 ? best : undefined
}

/** True when a text is nothing but shell commands and comments, even if another grammar could read it. */
export function isOnlyShell(text: string): boolean {
  const lines = text.split('\n', LINES_AT_MOST).map((line) => line.slice(0, CHARACTERS_A_LINE).trim())
  const code = lines.filter((line) => line !== '' && !COMMENT_LINE.test(line))
  return (
    code.length > 0 &&
    code.every((line, index) => isShellLine(line, code[index + 1]) && !PYTHON_LINE.test(line))
  )
}

/**
 * True when a line of `text` can be nothing but the shell's.
 *
 * @param whole - the text also parses in another grammar, so only the name of a command at the start of a line counts
 */
export function isSurelyShell(text: string, whole: boolean): boolean {
  return text
    .split('\n', LINES_AT_MOST)
    .map((line) => line.slice(0, CHARACTERS_A_LINE).trim())
    .some((line) => isCommand(line) || (!whole && SURELY_SHELL.test(line)))
}

/** True for a line that begins like a command and goes on as no expression would. */
function isShellLine(line: string, next: string | undefined): boolean {
  return (
    SHELL_LINE.test(line) || (SHELL_HEAD.test(line) && /^(?:then|do)\b/.test(next ?? '')) || isCommand(line)
  )
}

/** The shell exports names, with or without a value; a module exports what it declares. */
const MODULE_EXPORT =
  /^export\s+(?:(?:const|let|var|function|async|class|default|type|interface|enum|declare|abstract|import)\s|[{*])/

function isCommand(line: string): boolean {
  if (MODULE_EXPORT.test(line)) return false
  const command = SHELL_COMMAND.exec(line)?.[1]
  return command !== undefined && COMMANDS.has(command)
}

/** True for words in a row with next to no punctuation of code. */
function isSentence(line: string): boolean {
  const words = line.match(/(?<![\w.(])[\p{L}'’]+(?=[\s.,;:!?)]|$)/gu)?.length ?? 0
  const marks = line.match(/[=(){}[\]<>;_|&$\\]/g)?.length ?? 0
  return (words >= 4 && marks * 4 <= words) || /^(?:[-*•]|\d+[.)])\s+\p{L}+\s+\p{L}+/u.test(line)
}
