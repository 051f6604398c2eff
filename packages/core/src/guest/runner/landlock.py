"""Landlock: file, network and signal rights that a process takes from itself. Fewer on older kernels."""

import os
import stat
import struct

system = load('system')

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1, 2, 4, 8
_MAKE_CHARACTER_DEVICE, _MAKE_BLOCK_DEVICE = 1 << 6, 1 << 11
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _DEVICE_CONTROL

READ = EXECUTE | READ_FILE | READ_DIRECTORY
_BIND_AND_CONNECT_TCP = 3
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2

DEVICES = {
    '/dev/null': WRITE_FILE | READ_FILE,
    '/dev/zero': READ_FILE,
    '/dev/full': WRITE_FILE | READ_FILE,
    '/dev/random': READ_FILE,
    '/dev/urandom': READ_FILE,
}


def version():
    """The kernel's version of Landlock; 0 where it is not there."""
    try:
        return system.call('landlock', _CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def file_rights(abi):
    """All rights on files that this version knows."""
    rights = (1 << 13) - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICE_CONTROL)):
        rights |= right if abi >= since else 0
    return rights


def write_rights(abi):
    """What a program may do in a folder of its own: all but device files."""
    return file_rights(abi) & ~(_MAKE_CHARACTER_DEVICE | _MAKE_BLOCK_DEVICE)


def scope_signals(abi):
    """This process and its children can no longer signal others; true when it surely worked."""
    if abi < 6:
        return False
    enter(_empty(abi, 0, 0, _SCOPE_SIGNALS))
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:
        return True
    except ProcessLookupError:
        pass
    return False


def ruleset(abi, paths, network):
    """A descriptor of rules that leave only `paths` (path -> rights); what is missing is left out. `network`:
    TCP stays open."""
    tcp = 0 if network or abi < 4 else _BIND_AND_CONNECT_TCP
    scope = 0 if abi < 6 else _SCOPE_SIGNALS | _SCOPE_ABSTRACT_SOCKETS
    handled = file_rights(abi)
    rules = _empty(abi, handled, tcp, scope)
    for path, rights in paths.items():
        _allow(rules, path, rights & handled)
    return rules


def _empty(abi, files, tcp, scope):
    attributes = struct.pack('QQQ', files, tcp, scope)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return system.call('landlock_create_ruleset', _CREATE, attributes, size, 0)


def _allow(rules, path, rights):
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _ON_FILES
        rule = struct.pack('=Qi', rights, place)
        system.call('landlock_add_rule', _ADD_RULE, rules, _PATH_BENEATH, rule, 0)
    finally:
        os.close(place)


def enter(rules):
    """Holds this process to a ruleset, for good, and closes it."""
    try:
        system.refuse_new_privileges()
        system.call('landlock_restrict_self', _RESTRICT, rules, 0)
    finally:
        os.close(rules)
