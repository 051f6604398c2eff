"""Rewrites the asserts of the tests, so that a failed one knows the values it compared, each computed
once."""

import ast

checks_of = load('discovery').checks_of

FAIL, IMPORT_ALL, REACHED = '@fail', '@import_all', '@reached'
OPERATORS = {
    ast.Eq: '==',
    ast.NotEq: '!=',
    ast.Lt: '<',
    ast.LtE: '<=',
    ast.Gt: '>',
    ast.GtE: '>=',
    ast.Is: 'is',
    ast.IsNot: 'is not',
    ast.In: 'in',
    ast.NotIn: 'not in',
}


class Check:
    """One assert of the tests."""

    def __init__(self, test, left, right=None, operator=None, tolerance=None):
        self.line = test.lineno
        self.test, self.left, self.right = test, left, right
        # `==`, `in`, …; `true`, `false` for a bare expression; `close` for two numbers within a tolerance
        self.operator = operator
        self.tolerance = tolerance


class Rewriter(ast.NodeTransformer):
    def __init__(self, announced):
        self.checks = []
        self.imports_all = False
        # Statements that say so when they are reached.
        self._announced = announced

    def visit(self, node):
        changed = super().visit(node)
        if node not in self._announced:
            return changed
        [said] = _placed(node, [ast.Expr(ast.Call(_name(REACHED), [], []))])
        return [said, *(changed if isinstance(changed, list) else [changed])]

    def visit_Assert(self, node):
        self.generic_visit(node)
        return self._check(node, node.test)

    def visit_ImportFrom(self, node):
        if [alias.name for alias in node.names] != ['*'] or node.level:
            return node
        self.imports_all = True
        call = ast.Call(
            _name(IMPORT_ALL), [ast.Constant(node.module), ast.Call(_name('globals'), [], [])], []
        )
        return _placed(node, [ast.Expr(call)])[0]

    def _check(self, node, test):
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return [statement for value in test.values for statement in self._check(node, value)]
        close = _closeness(test)
        if close is not None:
            left, right, tolerance, rebuilt = close
            return self._statements(
                node, Check(test, left, right, 'close', tolerance), (left, right), rebuilt
            )
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            sign = type(test.ops[0])
            check = Check(test, test.left, test.comparators[0], OPERATORS[sign])
            return self._statements(
                node,
                check,
                (test.left, test.comparators[0]),
                lambda left, right: ast.Compare(left, test.ops, [right]),
            )
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._statements(
                node,
                Check(test, test.operand, None, 'false'),
                (test.operand,),
                lambda value: ast.UnaryOp(ast.Not(), value),
            )
        return self._statements(node, Check(test, test, None, 'true'), (test,), lambda value: value)

    def _statements(self, node, check, operands, rebuild):
        number = len(self.checks)
        self.checks.append(check)
        names = ['@value%d' % index for index in range(len(operands))]
        kept = [ast.Assign([ast.Name(name, ast.Store())], operand) for name, operand in zip(names, operands)]
        values = ast.Tuple([_name(name) for name in names], ast.Load())
        arguments = [ast.Constant(number), values, *([node.msg] if node.msg is not None else [])]
        condition = ast.UnaryOp(ast.Not(), rebuild(*map(_name, names)))
        failure = ast.Raise(ast.Call(_name(FAIL), arguments, []), None)
        # Let go of the values, as a plain assert would.
        cleared = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in names]
        return _placed(node, [*kept, ast.If(condition, [failure], []), *cleared])


def _name(name):
    return ast.Name(name, ast.Load())


def _placed(node, statements):
    for statement in statements:
        for part in ast.walk(statement):
            if 'lineno' in part._attributes and not hasattr(part, 'lineno'):
                ast.copy_location(part, node)
    return statements


def _closeness(test):
    """`abs(x - y) < tolerance` and `isclose(x, y)`: the two numbers, the tolerance, and how to put them
    back."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        call, bound = test.left, test.comparators[0]
        inner = (
            call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords else None
        )
        if (
            isinstance(bound, ast.Constant)
            and _called(call) in ('abs', 'fabs')
            and isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.Sub)
        ):

            def rebuilt(left, right):
                difference = ast.Call(call.func, [ast.BinOp(left, inner.op, right)], [])
                return ast.Compare(difference, test.ops, [bound])

            return inner.left, inner.right, ast.unparse(bound), rebuilt
    if (
        _called(test) == 'isclose'
        and len(test.args) == 2
        and not any(isinstance(one, ast.Starred) for one in test.args)
    ):
        tolerance = ', '.join('%s=%s' % (word.arg, ast.unparse(word.value)) for word in test.keywords) or None
        return (*test.args, tolerance, lambda left, right: ast.Call(test.func, [left, right], test.keywords))
    return None


def _called(node):
    function = node.func if isinstance(node, ast.Call) else None
    return (
        function.id
        if isinstance(function, ast.Name)
        else function.attr if isinstance(function, ast.Attribute) else None
    )


def rewritten(source, name):
    """The tests as code, with the list of their checks; raises SyntaxError as the compiler does."""
    tree = ast.parse(source, name)
    copy = ast.parse(source, name)
    rewriter = Rewriter(checks_of(copy))
    changed = ast.fix_missing_locations(rewriter.visit(copy))
    return compile(changed, name, 'exec', dont_inherit=True), tree, rewriter


def names_used(tree):
    """Every name that the tests mention, or None where they could look names up by text."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return None if names & {'globals', 'locals', 'vars', 'eval', 'exec'} else names
