// No known way to fake a pass does under pytest or unittest; each is a real program in real processes.
import { describe, expect, test } from 'vitest'
import { runnersHere, WRONG } from '../helpers/python-runners.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const TIMEOUT = { timeout: 120_000 }

/** A passing report, for whoever would write one. */
const FORGED =
  '<testsuites><testsuite tests="2"><testcase classname="" name="test_odd"/><testcase classname="" name="test_even"/></testsuite></testsuites>'

const forgeries: Readonly<Record<string, string | Record<string, string>>> = {
  'exits with 0 at import': 'import sys\nsys.exit(0)\n',
  'exits hard with 0 at import': 'import os\nos._exit(0)\n',
  'exits with 0 in the call': 'import sys\ndef median(xs): sys.exit(0)\n',
  'exits hard with 0 in the call': 'import os\ndef median(xs): os._exit(0)\n',
  'ends the run in pytest words': 'import pytest\npytest.exit("done", returncode=0)\n',
  'ends the run in the call in pytest words':
    'def median(xs):\n    import pytest\n    pytest.exit("done", returncode=0)\n',
  'kills itself': 'import os, signal\ndef median(xs): os.kill(os.getpid(), signal.SIGKILL)\n',
  'replaces the exception hook': `import sys\nsys.excepthook = lambda *_: None\n${WRONG}`,
  'prints passes': `print("2 passed in 0.01s\\nOK\\ntest_odd PASSED\\ntest_even PASSED")\n${WRONG}`,
  'prints a report and exits': `import os\nos.write(1, b'${FORGED}')\nos._exit(0)\n`,
  'skips itself': 'import unittest\ndef median(xs): raise unittest.SkipTest("no")\n',
  'skips itself at import': 'import unittest\nraise unittest.SkipTest("no")\n',
  'is expected to fail': 'def median(xs):\n    import pytest\n    pytest.xfail("no")\n',
  'patches assertions': `import unittest
unittest.TestCase.assertEqual = lambda *a, **k: None
${WRONG}`,
  'patches how a test is run': `import unittest
unittest.TestCase.run = lambda self, result: (result.startTest(self), result.addSuccess(self), result.stopTest(self))
try:
    import _pytest.python
    _pytest.python.Function.runtest = lambda self: None
except ImportError: pass
${WRONG}`,
  'patches how a failure is told': `import unittest
unittest.TestResult.addFailure = lambda *a: None
try:
    from _pytest.reports import TestReport
    made = TestReport.from_item_and_call.__func__
    def lie(cls, item, call):
        call.excinfo = None
        return made(cls, item, call)
    TestReport.from_item_and_call = classmethod(lie)
except ImportError: pass
${WRONG}`,
  'replaces the code of a runner function': `import unittest
def nothing(self, first, second, msg=None): return None
unittest.TestCase.assertEqual.__code__ = nothing.__code__
try:
    import _pytest.python
    def runtest(self): return None
    _pytest.python.Function.runtest.__code__ = runtest.__code__
except ImportError: pass
${WRONG}`,
  'makes failures into something else': `import builtins
class AssertionError(Exception):
    def __new__(cls, *a): raise KeyboardInterrupt
builtins.AssertionError = AssertionError
${WRONG}`,
  'makes assertions raise an expected failure': `import builtins
try:
    import pytest
    builtins.AssertionError = pytest.xfail.Exception
except ImportError:
    import unittest
    builtins.AssertionError = unittest.SkipTest
${WRONG}`,
  'registers a plugin that passes all': `import gc
class Plugin:
    def pytest_pyfunc_call(self, pyfuncitem): return True
def register():
    try: from _pytest.config import Config
    except ImportError: return
    for one in gc.get_objects():
        if isinstance(one, Config):
            one.pluginmanager.register(Plugin())
            return
register()
${WRONG}`,
  'replaces how the next tests are run': `import gc, unittest
def median(xs):
    try:
        import pytest
        for one in gc.get_objects():
            if isinstance(one, pytest.Item): one.runtest = lambda: None
    except ImportError: pass
    for one in gc.get_objects():
        if isinstance(one, unittest.TestCase): one.assertEqual = lambda *a: None
    return 1.5 if len(xs) == 2 else 9
`,
  'edits the tests in the call': `import glob, os
def median(xs):
    for path in glob.glob("**/test_*.py", recursive=True):
        os.chmod(path, 0o644)
        open(path, "w").write("def test_odd(): pass\\ndef test_even(): pass\\n")
    return 7
`,
  'deletes the tests': `import os\nos.remove("test_median.py")\n${WRONG}`,
  'replaces the tests that are loaded': `import sys
def nothing(*args): return None
def median(xs):
    for name, module in list(sys.modules.items()):
        if name.endswith("test_median"):
            for holder in [module, *[one for one in vars(module).values() if isinstance(one, type)]]:
                for key, value in list(vars(holder).items()):
                    if key.startswith("test_") and callable(value): value.__code__ = (lambda *args: None).__code__
    return 2
`,
  'takes tests away from their module': `import sys
class Gone(dict): pass
def median(xs):
    return 2
frame = sys._getframe()
while frame is not None:
    if frame.f_code.co_filename.endswith("test_median.py"):
        frame.f_globals["__test__"] = False
        frame.f_globals["load_tests"] = lambda loader, tests, pattern: loader.suiteClass()
    frame = frame.f_back
`,
  'writes the report when the process ends': `import atexit, glob
def write():
    for path in glob.glob(".mendloop-*/report.xml") + ["report.xml", "junit.xml"]:
        open(path, "w").write('${FORGED}')
atexit.register(write)
${WRONG}`,
  'writes the report in a thread': `import glob, threading, time
def write():
    while True:
        for path in glob.glob(".mendloop-*"):
            try: open(path + "/report.xml", "w").write('${FORGED}')
            except OSError: pass
        time.sleep(0.001)
threading.Thread(target=write, daemon=True).start()
${WRONG}`,
  'writes a report to every guess and exits': `import os, sys
for path in ["report.xml", "junit.xml", *[a.split("=")[-1] for a in sys.argv[1:]]]:
    try: open(path, "w").write('${FORGED}')
    except OSError: pass
os._exit(0)
`,
  'leaves a conftest that passes all': {
    'solution.py': WRONG,
    'conftest.py': `import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
`,
  },
  'leaves configuration': {
    'solution.py': WRONG,
    'pytest.ini': '[pytest]\naddopts = --collect-only\n',
    'tox.ini': '[pytest]\naddopts = --collect-only\n',
    'setup.cfg': '[tool:pytest]\naddopts = --collect-only\n',
    'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
  },
  'leaves code that Python loads by itself': {
    'solution.py': WRONG,
    'sitecustomize.py': 'import os\nos._exit(0)\n',
    'usercustomize.py': 'import os\nos._exit(0)\n',
    'evil.pth': 'import os; os._exit(0)\n',
  },
  'stands in the place of the runner': {
    'solution.py': WRONG,
    'pytest.py': 'def main(*a, **k): return 0\n',
    'unittest.py': 'class TestCase: pass\n',
  },
  'leaves a plugin that is found by its data': {
    'solution.py': WRONG,
    'evil.py':
      'def pytest_runtest_call(item): item.runtest = lambda: None\ndef pytest_pyfunc_call(): return True\n',
    'evil-1.0.dist-info/METADATA': 'Name: evil\nVersion: 1.0\n',
    'evil-1.0.dist-info/entry_points.txt': '[pytest11]\nevil = evil\n',
  },
}

describe.for(runnersHere())('$name', ({ source, check }) => {
  test.for(Object.entries(forgeries))('does not pass a program that %s', TIMEOUT, async ([, program]) => {
    const files = typeof program === 'string' ? { 'solution.py': program } : program
    const verdict = await sharedVerdict(check(source), files)

    expect(verdict.status, JSON.stringify(verdict)).not.toBe('pass')
    expect(verdict.failures.length).toBeGreaterThan(0)
    expect(verdict.lost).toBeUndefined()
  })
})
