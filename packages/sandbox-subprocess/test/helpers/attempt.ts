// Attacks, written in Python.

/** Python that tries something and prints the name of the error, or what it got. */
export const attempt = (source: string): string =>
  [
    'import ctypes, os, signal, socket, sys, subprocess',
    'libc = ctypes.CDLL(None, use_errno=True)',
    'def call(*numbers):',
    '    if libc.syscall(*numbers) == -1:',
    '        raise OSError(ctypes.get_errno(), "refused")',
    'try:',
    ...source.split('\n').map((line) => `    ${line}`),
    '    print("DONE")',
    'except OSError as error:',
    '    print("refused", error.errno)',
  ].join('\n')
