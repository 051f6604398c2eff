// Which findings of the Python tools mean that a program is wrong. Each gating rule stands for an exception that Python
// raises when it reaches the line, or for code that it does not compile; what is only unusual, or wrong perhaps, is told.

/**
 * Rules of Ruff that gate. Read at https://docs.astral.sh/ruff/rules/ for 0.17; beside each, what Python does.
 */
export const GATING_RUFF_RULES: ReadonlySet<string> = new Set([
  // %-formats: ValueError, TypeError, KeyError.
  ...['F501', 'F502', 'F503', 'F505', 'F506', 'F507', 'F508', 'F509', 'PLE1300', 'PLE1307'],
  // str.format: ValueError, IndexError, KeyError.
  ...['F521', 'F524', 'F525'],
  // SyntaxError, by the compiler proper and so not seen by a parser.
  ...['F404', 'F406', 'F407', 'F621', 'F622', 'F701', 'F702', 'F704', 'F706', 'F707'],
  ...['PLE0115', 'PLE0117', 'PLE0118', 'PLE1142', 'PLE1700'],
  // NameError and UnboundLocalError.
  ...['F821', 'F823'],
  // TypeError: `print >> file`, a result of __init__, bases named twice, a keyword given twice, what is no exception.
  ...['F633', 'PLE0100', 'PLE0101', 'PLE0241', 'PLE1132', 'PLE1507', 'B016', 'B030'],
  // TypeError: special methods with the wrong number of parameters or the wrong kind of result.
  ...['PLE0302', 'PLE0303', 'PLE0304', 'PLE0305', 'PLE0307', 'PLE0308', 'PLE0309'],
  // AttributeError of a class with __slots__.
  'PLE0237',
])

/** Rules of flake8-bugbear that are told and do not gate: likely mistakes. The others are opinions. */
const LIKELY_MISTAKES: ReadonlySet<string> = new Set(
  'B002 B003 B005 B006 B012 B015 B018 B020 B022 B023 B025 B029 B031 B035'.split(' '),
)

/** What Ruff is asked for. */
export const RUFF_SELECTION: readonly string[] = ['F', 'E9', 'PLE', 'B']

/** True for a rule that is told of at all. */
export const isToldRuffRule = (rule: string): boolean =>
  /^(?:F|E9|PLE)\d+$/u.test(rule) || GATING_RUFF_RULES.has(rule) || LIKELY_MISTAKES.has(rule)

/**
 * Error codes of mypy that gate, from https://mypy.readthedocs.io/en/stable/error_code_list.html. Those that right
 * programs without annotations often raise (`assignment`, `var-annotated`, `union-attr`, `misc`) are told.
 */
export const GATING_MYPY_CODES: ReadonlySet<string> = new Set([
  ...['name-defined', 'used-before-def', 'attr-defined', 'call-arg', 'arg-type', 'call-overload'],
  ...['operator', 'index', 'return-value', 'str-format', 'abstract'],
])

/** Rules of pyright that gate, from its configuration page; `error` by its own standard, and wrong use. */
export const GATING_PYRIGHT_RULES: ReadonlySet<string> = new Set([
  ...['reportUndefinedVariable', 'reportUnboundVariable', 'reportAttributeAccessIssue', 'reportCallIssue'],
  ...['reportArgumentType', 'reportOperatorIssue', 'reportIndexIssue', 'reportReturnType'],
  ...['reportAbstractUsage', 'reportNoOverloadImplementation'],
])
