# The report of a run as JUnit XML under a seal: what has no right seal was not written by the runner.
import hashlib
import hmac
import os
import re

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 20000
# What ends the process must be taken before the program can replace it.
_end = os._exit


def _escaped(text):
    if len(text) > _LONGEST:
        text = text[: _LONGEST // 2] + "\n[...]\n" + text[-_LONGEST // 2 :]
    text = _ILLEGAL.sub("\ufffd", text)
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(plain, entity)
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")


def _case(suite, name, status, seconds, kind, message, details):
    head = '<testcase classname="%s" name="%s" time="%.6f"' % (_escaped(suite), _escaped(name), seconds)
    if status == "pass":
        return head + "/>"
    tag = "skipped" if status == "not-run" else "failure"
    told = '<%s type="%s" message="%s">%s</%s>' % (tag, _escaped(kind), _escaped(message), _escaped(details), tag)
    return head + ">" + told + "</testcase>"


def write(path, content):
    """With the system's own calls, since the program may have replaced `open`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    while content:
        content = content[os.write(file, content) :]
    os.close(file)


class Report:
    """Collects what became of each test; `finish` writes it and ends the process."""

    __slots__ = ("_cases", "_finish")

    def __init__(self, path, key):
        self._cases = cases = []
        path = os.path.abspath(path)

        def finish(status):
            text = "<testsuites><testsuite>" + "".join(cases) + "</testsuite></testsuites>"
            body = text.encode("utf-8", "replace")
            seal = hmac.new(key, body, hashlib.sha256).hexdigest()
            write(path, body + ("<!--" + seal + "-->").encode())
            # At once, so that nothing of the program's runs after the report.
            _end(status)

        self._finish = finish

    def test(self, name, status, seconds=0.0, kind="", message="", details=""):
        self._cases.append(_case("", name, status, seconds, kind, message, details))

    def problem(self, kind, message, details=""):
        """Something is wrong with the whole run."""
        self._cases.append(_case("mendloop", "run", "fail", 0, kind, message, details))

    def finish(self, status=0):
        self._finish(status)
