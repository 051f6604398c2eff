"""A syntax error of a cell, with what Python itself does not say of it."""


def explained(error, file, lines):
    """With its line, which Python's reader adds and its compiler does not, and a word on commands of IPython."""
    number = error.lineno or 0
    if error.filename == file and error.text is None and 0 < number <= len(lines):
        error.text = lines[number - 1]
    command = command_in(error.text or '', (error.offset or 0) - 1)
    if command is not None:
        error.msg = '%s: %s is a command of IPython, and cells are plain Python; %s' % (error.msg, *command)
    return error


def command_in(text, at):
    """The command of IPython that begins (or ends, with `?`) at this place, and what to do instead."""
    if not 0 <= at < len(text):
        return None
    sign, before, after = text[at], text[:at].strip(), text[at + 1 :].strip()
    if sign == '!' and (before == '' or before.endswith('=')):
        return text.strip()[:100], 'run programs with subprocess.run()'
    if sign == '%' and (before == '' or before.endswith('=')):
        instead = 'figures are shown without it' if 'matplotlib' in text else 'leave it out'
        return text.strip()[:100], instead
    if sign == '?' and (before == '' or after in ('', '?')):
        return text.strip()[:100], 'use help() or inspect'
    return None
