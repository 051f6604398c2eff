"""What the host decided when it started the runner, and which walls there really are."""

import os
import sys

filtering = load('filtering')
landlock = load('landlock')
namespaces = load('namespaces')
reasons = load('reasons')
system = load('system')


def settings_of(setup):
    """The setup with all keys there and bytes as bytes."""
    settings = {
        'confinement': setup.get('confinement', 'auto'),
        'workspace': setup['workspace'],
        'freshRoot': setup.get('freshRoot'),
        'readOnly': list(setup.get('readOnly') or ()),
        'readWrite': list(setup.get('readWrite') or ()),
        'hidden': list(setup.get('hidden') or ()),
        'tmpBytes': setup.get('tmpBytes') or 64 << 20,
        'shmBytes': setup.get('shmBytes') or 16 << 20,
        'ownUid': bool(setup.get('ownUid')),
        'network': bool(setup.get('network')),
        'cgroupSlots': [list(slot) for slot in setup.get('cgroupSlots') or ()],
        'landlockAbi': landlock.version(),
        'user': os.getuid(),
        'group': os.getgid(),
    }
    own = interpreter()
    # Wherever it is started, its own interpreter has to be readable.
    settings['readOnly'] += sorted({own['prefix'], own['basePrefix']} - {'/', *settings['readOnly']})
    for name in ('syscallFilter', 'runnerFilter'):
        settings[name] = filtering.Filter(bytes.fromhex(setup[name])) if setup.get(name) else None
    return settings


def decide(settings):
    """Settles the confinement, by really trying it in a fork. Ends the runner when it is not to be had."""
    wanted = settings['confinement']
    failures = []
    for name in ('namespaces', 'landlock', 'plain') if wanted == 'auto' else (wanted,):
        settings['confinement'] = name
        failure = _ATTEMPTS[name](settings)
        if failure is None:
            break
        failures.append('%s: %s' % (name, failure))
    else:
        raise SystemExit('the confinement asked for cannot be had here: %s' % '; '.join(failures))
    if settings['confinement'] != 'namespaces' and settings['freshRoot'] is None:
        folder = 'mendloop-' + os.urandom(8).hex()
        settings['freshRoot'] = os.path.join(os.environ.get('TMPDIR') or '/tmp', folder)
        settings['removeFreshRoot'] = True
        os.mkdir(settings['freshRoot'], 0o700)


def _try_namespaces(settings):
    def attempt():
        namespaces.identify(settings['user'], settings['group'])
        namespaces.settle()
        namespaces.have_own(settings)
        system.bound_capabilities()
        system.drop_capabilities()

    return _tried(namespaces.clone, attempt)


def _try_landlock(settings):
    abi = settings['landlockAbi']
    if abi < 1:
        return 'this kernel does not have it, or has not switched it on'

    def attempt():
        landlock.scope_signals(abi)
        landlock.enter(landlock.ruleset(abi, {'/': landlock.READ}, settings['network']))

    return _tried(os.fork, attempt)


_ATTEMPTS = {'namespaces': _try_namespaces, 'landlock': _try_landlock, 'plain': lambda settings: None}


def _tried(fork, attempt):
    """None when `attempt` works in a fork of its own; what went wrong otherwise."""
    reader, writer = os.pipe()
    try:
        child = fork()
    except OSError as error:
        os.close(reader)
        os.close(writer)
        return reasons.reason_of(error)[0]
    if child == 0:
        try:
            attempt()
        except BaseException as error:
            os.write(writer, reasons.reason_of(error)[0].encode())
            os._exit(1)
        os._exit(0)
    os.close(writer)
    with open(reader, 'rb') as file:
        said = file.read().decode()
    status = os.waitpid(child, 0)[1]
    return None if status == 0 else said or 'it ended with status %d' % status


def interpreter():
    """What the host compares with the interpreter that it found."""
    prefix = sys.prefix
    # Without `site`, which looks for this file, a virtual environment does not know that it is one.
    around = os.path.dirname(os.path.dirname(sys.executable))
    if os.path.exists(os.path.join(around, 'pyvenv.cfg')):
        prefix = around
    return {
        'version': '%d.%d.%d' % sys.version_info[:3],
        'executable': sys.executable,
        'prefix': prefix,
        'basePrefix': sys.base_prefix,
    }
