// Written by tools/guest-programs.mjs from the .py files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
  descriptors: `"""Where the runner keeps its descriptors: the line to the host out of reach, all unknown ones closed."""

import fcntl
import os

supervisor = load('supervisor')
system = load('system')

_HIGH = 128


def arrange(settings):
    """Returns both ends of the line to the host. Slots of cgroups get numbers that supervisors know."""
    incoming, outgoing = _moved_up((0, 1))
    slots = [_moved_up(slot) for slot in settings['cgroupSlots']]
    high = [one for slot in slots for one in slot]
    system.close_all_but([2, incoming, outgoing, *high])
    _fill_below(supervisor.FIRST_SLOT + len(high))
    numbers = iter(range(supervisor.FIRST_SLOT, supervisor.FIRST_SLOT + len(high)))
    settings['cgroupSlots'] = [[_moved_to(next(numbers), one) for one in slot] for slot in slots]
    return incoming, outgoing


def _moved_up(descriptors):
    return [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _HIGH) for one in descriptors]


def _moved_to(number, descriptor):
    os.dup2(descriptor, number, inheritable=False)
    os.close(descriptor)
    return number


def _fill_below(lowest):
    """All that is opened later has a number above those that a supervisor's own are moved to."""
    while True:
        filler = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if filler >= lowest:
            os.close(filler)
            return
`,
  execution: `"""The runner's side of one execution: its pipes, its supervisor, and when it is over."""

import json
import os
import select
import time

frames = load('frames')

_PIECE_BYTES = 1 << 16
# MSG_DONTWAIT
_DO_NOT_WAIT = 0x40


class Execution:
    """Under way from its fork until the host has been sent its EXIT."""

    def __init__(self, runner, process):
        self._runner = runner
        self._process = process
        self._number = None
        self._reports = frames.FrameReader()
        self._reports_from = process.line.fileno()
        self._outputs = {}
        self._input = process.input
        self._unwritten, self._input_ended = [], False
        self._end = None
        self._paused = False
        self._is_killed = False
        self._began = time.monotonic()

    def begin(self, number, piped):
        """Listens to what was forked."""
        self._number = number
        process = self._process
        self._outputs = {process.output: frames.STDOUT, process.errors: frames.STDERR}
        for descriptor in (*self._outputs, *(() if self._input is None else (self._input,))):
            os.set_blocking(descriptor, False)
        if not piped:
            self._close_input()
        self.refresh()

    # -- orders ---------------------------------------------------------------------------------------

    def kill(self):
        """The supervisor ends everything and reports; when it cannot, it is ended itself."""
        self._is_killed = True
        self._process.kill()
        self._runner.later(self._kill_surely, 2.0)

    def terminate(self):
        """The program is asked to end, with what is in its group."""
        self._process.terminate()

    def _kill_surely(self):
        if self._end is None:
            self._process.kill_at_once()

    def pause(self, paused):
        """Leaves its output in the pipes, or takes it again."""
        self._paused = paused
        self.refresh()

    def refresh(self):
        """Listens to its output, unless it is paused or the host has to catch up first."""
        congested = self._runner.outbox.congested
        paused = self._paused and self._end is None
        for descriptor in self._outputs:
            self._listen(descriptor, self._on_output, not congested and not paused)
        if self._end is None:
            self._listen(self._reports_from, self._on_report, not congested)
        else:
            self._drain()

    def _listen(self, descriptor, handler, wanted):
        if wanted:
            self._runner.watch(descriptor, handler)
        else:
            self._runner.ignore(descriptor)

    # -- input ----------------------------------------------------------------------------------------

    def write(self, data):
        """Standard input. What nobody reads any more is told as taken."""
        if self._input is None:
            self._taken(len(data))
            return
        self._unwritten.append(memoryview(data))
        self._write_more(self._input)

    def end_input(self):
        """End of file, after all that was written."""
        self._input_ended = True
        if self._input is not None and not self._unwritten:
            self._close_input()

    def _write_more(self, descriptor, _events=0):
        taken = 0
        try:
            while self._unwritten:
                piece = self._unwritten[0]
                count = os.write(descriptor, piece)
                taken += count
                if count < len(piece):
                    self._unwritten[0] = piece[count:]
                else:
                    self._unwritten.pop(0)
        except BlockingIOError:
            self._runner.watch(descriptor, self._write_more, select.EPOLLOUT)
        except OSError:
            taken += sum(map(len, self._unwritten))
            self._unwritten = []
            self._close_input()
        if taken:
            self._taken(taken)
        if not self._unwritten and self._input is not None:
            self._runner.ignore(descriptor)
            if self._input_ended:
                self._close_input()

    def _taken(self, count):
        self._runner.outbox.send(frames.STDIN_TAKEN, self._number, frames.encoded({'bytes': count}))

    def _close_input(self):
        if self._input is not None:
            self._runner.ignore(self._input)
            os.close(self._input)
            self._input = None

    # -- output ---------------------------------------------------------------------------------------

    def _on_output(self, descriptor, _events):
        """True when something was read."""
        try:
            data = os.read(descriptor, _PIECE_BYTES)
        except BlockingIOError:
            # With everybody dead nobody will ever write to it, even if a descriptor has got away.
            if self._end is not None:
                self._close_output(descriptor)
            return False
        if not data:
            self._close_output(descriptor)
            return False
        self._runner.outbox.send(self._outputs[descriptor], self._number, data)
        return True

    def _close_output(self, descriptor):
        self._runner.ignore(descriptor)
        os.close(descriptor)
        del self._outputs[descriptor]
        self._finish_if_over()

    # -- the end --------------------------------------------------------------------------------------

    def _on_report(self, _descriptor, _events):
        try:
            # Another's event, when this number was just that of something else: never wait for it.
            data = self._process.line.recv(_PIECE_BYTES, _DO_NOT_WAIT)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b''
        if not data:
            self._on_silence()
            return
        for kind, _, payload in self._reports.feed(data):
            if kind == frames.EXIT:
                self._end = json.loads(payload)
            else:
                self._runner.outbox.send(kind, self._number, payload)
        if self._end is not None:
            self._runner.ignore(self._reports_from)
            self._drain()

    def _on_silence(self):
        """The supervisor is gone without a report: somebody has killed it."""
        self._runner.ignore(self._reports_from)
        self._process.killed = True
        how = {'kind': 'lost', 'cause': 'its supervisor ended before it could tell how'}
        if self._is_killed:
            how = {'kind': 'signal', 'signal': 'SIGKILL'}
        self._end = {
            'how': how,
            'durationMs': (time.monotonic() - self._began) * 1000,
            'leftover': not self._process.ends_with_supervisor and self._runner.pool.sweep(),
        }
        self._runner.pool.clear(self._process)
        self._drain()

    def _drain(self):
        """Takes what is left in the pipes. Also of a paused one: there is no more than they hold."""
        for descriptor in list(self._outputs):
            while not self._runner.outbox.congested and self._on_output(descriptor, 0):
                pass
        self._finish_if_over()

    def _finish_if_over(self):
        if self._end is None or self._outputs or self._number is None:
            return
        self._close_input()
        if self._unwritten:
            self._taken(sum(map(len, self._unwritten)))
        self._runner.outbox.send(frames.EXIT, self._number, frames.encoded(self._end))
        number, self._number = self._number, None
        self._runner.forget(number, self._process, self._end['leftover'])
`,
  forking: `"""Forks the supervisor of an execution, or asks one that is there already; either way with new pipes."""

import os
import signal

line = load('line')
namespaces = load('namespaces')
program = load('program')
supervisor = load('supervisor')
system = load('system')


class Process:
    """A supervisor, as its runner holds it. \`input\`, \`output\`, \`errors\`: other ends of the program's."""

    def __init__(self, settings, name, asked):
        self.name = name
        # Forked anew it has what the runner has imported meanwhile.
        self.packages = settings['packages']
        self.ends_with_supervisor = settings['confinement'] == 'namespaces'
        self.killed = self.dismissed = False
        self.pid = None
        self.line, theirs = line.pair()
        given = self._open(asked is None or asked.piped)
        try:
            self.pid = namespaces.clone() if self.ends_with_supervisor else os.fork()
        except OSError:
            self.close_pipes()
            raise
        finally:
            if self.pid != 0:
                _close(given)
                theirs.close()
        if self.pid == 0:
            _become_supervisor(settings, name, (*given, theirs.fileno()), asked)

    def _open(self, piped):
        theirs, self.input = os.pipe() if piped else (os.open(os.devnull, os.O_RDONLY), None)
        self.output, output = os.pipe()
        self.errors, errors = os.pipe()
        return theirs, output, errors

    def again(self, asked, payload):
        """Asks a supervisor that is done with another execution; false when it is gone."""
        given = self._open(asked.piped)
        try:
            line.ask(self.line, asked.others, payload, given)
        except OSError:
            self.close_pipes()
            return False
        finally:
            _close(given)
        return True

    def order(self, asked, payload):
        """Tells a spare what to do; false when it is gone."""
        try:
            line.ask(self.line, asked.others, payload)
        except OSError:
            self.close_pipes()
            return False
        return True

    @property
    def reusable(self):
        """True when it may take another execution. A signal that came late would end the wrong one."""
        return not self.ends_with_supervisor and not self.killed and self.pid is not None

    def kill(self):
        """Has the supervisor end everything and tell how it went."""
        self._signal(signal.SIGTERM)

    def terminate(self):
        """Has the supervisor ask the program to end."""
        self._signal(signal.SIGUSR1)

    def kill_at_once(self):
        """Ends the supervisor itself."""
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        """Its process id is its own until it has been waited for."""
        self.killed = True
        if self.pid is not None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def close_pipes(self):
        """Closes the runner's ends."""
        _close(one for one in (self.input, self.output, self.errors) if one is not None)

    def dismiss(self):
        """Lets it end."""
        self.dismissed = True
        self.line.close()


def _close(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def _become_supervisor(settings, name, given, asked):
    try:
        # The low numbers are kept free for this; see \`runner.py\`.
        for wanted, descriptor in enumerate(given):
            os.dup2(descriptor, wanted, inheritable=wanted < supervisor.LINE)
        system.close_from(supervisor.FIRST_SLOT + sum(map(len, settings['cgroupSlots'])))
        supervisor.main(settings, name, asked)
    except program.Unwound:
        raise
    except BaseException:
        os._exit(125)
`,
  frames: `"""Frames between host and runner, and from a supervisor to its runner: length, type, id, payload."""

import collections
import json
import os
import struct

MAGIC = b'\\x00MENDLOOP-RUN-1\\n'

EXECUTE, STDIN, STDIN_END, KILL, PREPARE, PAUSE, RESUME, TERMINATE = range(1, 9)
HELLO, STARTED, STDOUT, STDERR, FILE, EXIT, READY, STDIN_TAKEN = range(16, 24)

_HEAD = struct.Struct('<IBI')
_LENGTH = struct.Struct('<I')
# Of one writev; the kernel takes 1024.
_MOST_PIECES = 64


def frame(kind, number, payload=b''):
    """One frame as bytes."""
    return _HEAD.pack(len(payload) + 5, kind, number) + payload


def encoded(value):
    """A JSON payload. ASCII, so that a lone surrogate stays what it is."""
    return json.dumps(value, separators=(',', ':')).encode('ascii')


def with_header(header, body=b''):
    """A payload of a JSON header, counted, and bytes after it."""
    head = encoded(header)
    return _LENGTH.pack(len(head)) + head + body


def split_header(payload):
    """The JSON header of a payload, and a view of the bytes after it."""
    view = memoryview(payload)
    (length,) = _LENGTH.unpack_from(view)
    return json.loads(bytes(view[4 : 4 + length])), view[4 + length :]


class FrameReader:
    """Frames out of bytes that arrive in pieces."""

    def __init__(self):
        self._buffer = bytearray()

    def feed(self, data):
        """The frames that are whole now, as (type, id, payload)."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= 9:
            length, kind, number = _HEAD.unpack_from(buffer)
            end = length + 4
            if len(buffer) < end:
                return
            with memoryview(buffer) as view:
                payload = bytes(view[9:end])
            del buffer[: max(end, 9)]
            yield kind, number, payload


class Outbox:
    """What is on its way to the host. Never blocks: a host that does not read can order a kill."""

    # Beyond this nothing more is read from the executions until the host has caught up.
    CONGESTED_BYTES = 1 << 19

    def __init__(self, descriptor):
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._pieces = collections.deque()
        self._size = 0

    @property
    def empty(self):
        """True when the host has been handed everything."""
        return not self._pieces

    @property
    def congested(self):
        """True when the host has to read before more is taken from the executions."""
        return self._size >= self.CONGESTED_BYTES

    def send(self, kind, number, payload=b''):
        """Puts a frame in line."""
        head = _HEAD.pack(len(payload) + 5, kind, number)
        self.put(head if not payload else head + payload if len(payload) < 1024 else head)
        if len(payload) >= 1024:
            self.put(payload)

    def put(self, data):
        """Puts bytes in line."""
        self._pieces.append(memoryview(data))
        self._size += len(data)

    def flush(self):
        """Hands over what the host takes now. Raises BrokenPipeError when it is gone."""
        while self._pieces:
            few = [self._pieces[index] for index in range(min(len(self._pieces), _MOST_PIECES))]
            try:
                written = os.writev(self.descriptor, few)
            except BlockingIOError:
                return
            self._size -= written
            while self._pieces and written >= len(self._pieces[0]):
                written -= len(self._pieces.popleft())
            if written:
                self._pieces[0] = self._pieces[0][written:]
`,
  landlock: `"""Landlock: file, network and signal rights that a process takes from itself. Fewer on older kernels."""

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
    """A descriptor of rules that leave only \`paths\` (path -> rights); what is missing is left out. \`network\`:
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
`,
  limits: `"""Limits that the kernel holds a process to."""

import os
import resource
import time

_count = {'good_until': 0.0, 'processes': 0}
_strangers = set()
_COUNT_IS_GOOD_FOR_SECONDS = 1.0


def limits_to_set(limits, others):
    """As (kind, (soft, hard)). \`others\`: processes that count and are not the program's."""
    wanted = [(resource.RLIMIT_CORE, 0, 0)]
    cpu = limits.get('cpuSeconds')
    if cpu:
        wanted.append((resource.RLIMIT_CPU, cpu['soft'], cpu['hard']))
    # Not the address space: Node and the JVM reserve far more of it than they use.
    for name, kind, more in (
        ('memoryBytes', resource.RLIMIT_DATA, 0),
        ('openFiles', resource.RLIMIT_NOFILE, 0),
        ('fileBytes', resource.RLIMIT_FSIZE, 0),
        ('processes', resource.RLIMIT_NPROC, others),
    ):
        if limits.get(name) is not None:
            wanted.append((kind, limits[name] + more, limits[name] + more))
    return [(kind, _allowed(kind, soft, hard)) for kind, soft, hard in wanted]


def _allowed(kind, soft, hard):
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        hard = min(hard, ceiling)
    return min(soft, hard), hard


def set_limits(wanted):
    """Sets them on this process."""
    for kind, both in wanted:
        resource.setrlimit(kind, both)


def processes_of_user():
    """Processes and threads of this user on the machine, as they were at most a second ago."""
    now = time.monotonic()
    if now > _count['good_until']:
        _count['good_until'] = now + _COUNT_IS_GOOD_FOR_SECONDS
        names = [name for name in os.listdir('/proc') if name.isdigit()]
        _strangers.intersection_update(names)
        _count['processes'] = sum(_threads_of_mine(name) for name in names if name not in _strangers)
    return _count['processes']


def _threads_of_mine(name):
    try:
        found = os.stat('/proc/%s/task' % name)
        # Root owns what /proc shows of a process that is not dumpable, such as this one.
        if found.st_uid == os.getuid() or found.st_uid == 0 and _is_mine(name):
            return found.st_nlink - 2
    except OSError:
        return 0
    _strangers.add(name)
    return 0


def _is_mine(name):
    with open('/proc/%s/status' % name, 'rb') as file:
        user = file.read().partition(b'\\nUid:')[2].split(None, 1)[0]
    return int(user) == os.getuid()
`,
  line: `"""The line between a runner and a supervisor: requests with a program's pipes one way, reports the other."""

import struct

# The half of \`socket\` that is needed, without what the whole of it imports.
import _socket

# Of the supervisor's end, where the program has its first descriptor after the standard ones.
NUMBER = 3

_HEAD = struct.Struct('<II')
_RIGHTS = struct.Struct('3i')


def pair():
    """Both ends, which no program inherits."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


def end(descriptor):
    """An end that is held as a descriptor."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def ask(line, others, payload, pipes=()):
    """Sends what an EXECUTE frame holds, and the descriptors of the program's input and outputs."""
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _RIGHTS.pack(*pipes))] if pipes else []
    line.sendmsg([_HEAD.pack(others, len(payload))], rights)
    line.sendall(payload)


def asked(line):
    """The next (others, payload, descriptors); None when there will be none."""
    room = _socket.CMSG_SPACE(_RIGHTS.size)
    head, rights, _, _ = line.recvmsg(_HEAD.size, room, _socket.MSG_CMSG_CLOEXEC)
    pipes = _RIGHTS.unpack(rights[0][2]) if rights else ()
    payload = None
    if len(head) == _HEAD.size:
        others, length = _HEAD.unpack(head)
        payload = _exactly(line, length)
    return None if payload is None else (others, payload, pipes)


def _exactly(line, count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        taken = line.recv_into(view)
        if not taken:
            return None
        view = view[taken:]
    return data
`,
  namespaces: `"""Namespaces of an execution's own: other users, processes, mounts and IPC, made by a user without rights."""

import os

system = load('system')

_QUIET = system.MOUNT_NO_SETUID | system.MOUNT_NO_DEVICES
_FILES_OF_WORKSPACE, _FILES_OF_TMP, _FILES_OF_SHARED_MEMORY = 8192, 4096, 1024
_DEFAULT_WORKSPACE_BYTES = 256 << 20


def clone():
    """Forks into them; 0 in the child, which is their first process."""
    return system.clone(system.NEW_NAMESPACES)


def identify(user, group):
    """Keeps this process's own ids."""
    # What is not dumpable has its /proc/self/*_map owned by root.
    system.set_dumpable(True)
    for name, value in (
        ('setgroups', 'deny'),
        ('uid_map', '%d %d 1' % (user, user)),
        ('gid_map', '%d %d 1' % (group, group)),
    ):
        descriptor = os.open('/proc/self/' + name, os.O_WRONLY)
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)
    system.set_dumpable(False)


def furnish(settings, fresh, disk=None):
    """Mounts what an execution has for itself alone: /tmp, /dev/shm, /proc, and a \`fresh\` workspace of \`disk\`
    bytes, with nothing to be seen of what is hidden from it."""
    system.mount(None, '/', None, system.MOUNT_RECURSIVE | system.MOUNT_PRIVATE)
    kept = _held_below('/tmp', settings, fresh)
    cover('/tmp', settings['tmpBytes'], _FILES_OF_TMP, '1777')
    if os.path.isdir('/dev/shm'):
        cover('/dev/shm', settings['shmBytes'], _FILES_OF_SHARED_MEMORY, '1777', system.MOUNT_NO_EXEC)
    _have_own_terminals()
    for path, place in kept:
        _put_back(path, place)
    if fresh:
        os.makedirs(settings['workspace'], exist_ok=True)
        cover(settings['workspace'], disk or _DEFAULT_WORKSPACE_BYTES, _FILES_OF_WORKSPACE, '0700')
    for path in settings['hidden'] if fresh else ():
        if os.path.isdir(path):
            cover(path, 4096, 2, '0555', system.MOUNT_READ_ONLY)
    try:
        system.mount('proc', '/proc', 'proc', _QUIET | system.MOUNT_NO_EXEC)
    except PermissionError:
        # Under a container engine that masks parts of it. The old one shows other executions: better none.
        cover('/proc', 4096, 2, '0555', system.MOUNT_READ_ONLY)


def _have_own_terminals():
    if not os.path.isdir('/dev/pts'):
        return
    try:
        options = 'newinstance,ptmxmode=0666,mode=0600'
        system.mount('devpts', '/dev/pts', 'devpts', system.MOUNT_NO_SETUID | system.MOUNT_NO_EXEC, options)
    except OSError:
        # Those of other executions would be seen: better none.
        cover('/dev/pts', 4096, 2, '0555', system.MOUNT_READ_ONLY)


def cover(path, size, files, mode, flags=0):
    """An empty folder in memory over \`path\`."""
    system.mount('tmpfs', path, 'tmpfs', _QUIET | flags, 'size=%d,nr_inodes=%d,mode=%s' % (size, files, mode))


def resize(path, size):
    """Gives a covering folder another size."""
    system.mount(None, path, None, _QUIET | system.MOUNT_REMOUNT, 'size=%d' % size)


def _held_below(folder, settings, fresh):
    """What programs need of a folder that is about to be covered, held open: (path, descriptor)."""
    needed = settings['readOnly'] + settings['readWrite'] + ([] if fresh else [settings['workspace']])
    below = sorted({path for path in needed if path.startswith(folder + '/') and os.path.isdir(path)})
    return [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in below]


def _put_back(path, place):
    os.makedirs(path, exist_ok=True)
    system.mount('/proc/self/fd/%d' % place, path, None, system.MOUNT_BIND | system.MOUNT_RECURSIVE)
    os.close(place)
`,
  packages: `"""Python packages in the runner: found once, imported ahead, so that each fork has them already."""

import gc
import importlib
import os
import sys

python_program = load('python_program')

# One thread each: a pool of threads does not survive a fork.
_THREADS = ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS')
_surroundings = {}
_state = {'found': False, 'version': 0}


def put_away_environment():
    """Leaves an empty environment, which each program fills with its own; imports have the runner's."""
    _surroundings.update(os.environ)
    os.environ.clear()


def find():
    """Makes the installed packages importable; the runner starts without them, since that takes a while."""
    if _state['found']:
        return
    _state['found'] = True
    import site

    before = set(sys.modules)
    site.main()
    # Some installed packages have things imported at every start.
    python_program.learn({name for name in sys.modules if name not in before})
    freeze()


def preload(names):
    """Imports packages; returns (loaded, failed with its reason by name)."""
    find()
    loaded, failed = [], {}
    os.environ.update(_surroundings)
    for name in _THREADS:
        os.environ.setdefault(name, '1')
    for name in names:
        try:
            importlib.import_module(name)
            loaded.append(name)
        except BaseException as error:
            failed[name] = '%s: %s' % (type(error).__name__, error)
    os.environ.clear()
    freeze()
    return loaded, failed


def warm_up():
    """Does once what the first program would do in its own time: each fork has it then."""
    import linecache
    import traceback

    try:
        exec(compile('def f(x):\\n    return [i for i in range(x)]\\nf(3)\\n1/0', '<warm-up>', 'exec'), {})
    except ZeroDivisionError:
        traceback.format_exc()
    linecache.clearcache()


def freeze():
    """Keeps the collector off what is here now: a collection in a fork would copy every page of it."""
    gc.collect()
    gc.freeze()
    _state['version'] += 1


def version():
    """Another number whenever something was imported: what was forked before does not have it."""
    return _state['version']


`,
  place: `"""Where an execution works: its workspace, its temporary folder, and what it may reach beside them."""

import os

landlock = load('landlock')
workspace = load('workspace')

_FOLDERS = ('work', 'tmp')
_TEMPORARY = ('TMPDIR', 'TMP', 'TEMP')


def _is_within(path, folder):
    return (path + '/').startswith(folder.rstrip('/') + '/')


def _reopen(path):
    try:
        os.chmod(path, 0o700)
    except OSError:
        # Not there, or another user's: what needs it fails, and says so.
        pass


class Place:
    """In namespaces the sandbox's own paths are covered. Elsewhere a fresh workspace is a folder with a name
    that no other program can guess."""

    def __init__(self, settings, fresh, name):
        self._settings = settings
        self._folder = None
        self._is_made = False
        self.fresh = fresh
        if settings['confinement'] != 'namespaces':
            self._folder = os.path.join(settings['freshRoot'], name)

    @property
    def root(self):
        """Absolute path of the workspace."""
        return self._within('work') if self._own else self._settings['workspace']

    @property
    def _own(self):
        return self.fresh and self._folder is not None

    def _within(self, name):
        return os.path.join(self._folder, name)

    def make(self):
        """Makes the folders of a fresh one, where there are none yet."""
        if self._own:
            self._is_made = True
            self._open_up()
            for path in (self._settings['freshRoot'], self._folder, *map(self._within, _FOLDERS)):
                if not os.path.lexists(path):
                    os.mkdir(path, 0o700)

    def empty(self):
        """Makes a fresh one as new. Emptied and not made anew: that costs a file system ten times as much."""
        if self._own:
            self._open_up()
            for name in _FOLDERS:
                workspace.empty(self._within(name))

    def remove(self, surely=False):
        """Removes everything again; \`surely\` also what another process has made."""
        if self._folder is not None and (self._is_made or surely and os.path.lexists(self._folder)):
            self._open_up()
            workspace.remove(self._folder)

    def _open_up(self):
        """Programs of this user may have closed the folders above their own: nothing keeps them from that."""
        root = self._settings['freshRoot']
        if not os.access(os.path.dirname(root), os.X_OK):
            _reopen(os.path.dirname(root))
        for path in (root, self._folder, *map(self._within, _FOLDERS)):
            if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                _reopen(path)

    def is_full(self, root):
        """True when a fresh workspace that is bounded, and open as \`root\`, takes nothing more."""
        if not self.fresh or self._settings['confinement'] != 'namespaces':
            return False
        try:
            found = os.fstatvfs(root)
        except OSError:
            return False
        return found.f_bavail == 0 or found.f_ffree == 0

    def lay_out(self, request):
        """Puts the program's files in; returns what is needed to collect what it leaves."""
        self._make_home(request)
        if not self.fresh:
            return {}
        digests = workspace.put(self.root, request.files, request.collect)
        return {'digests': digests, 'collect': request.collect}

    def _make_home(self, request):
        """Sees to it that the temporary folder and the home are there, and nobody else's."""
        env = request.env
        if self._own:
            env.update({name: self._within('tmp') for name in _TEMPORARY if name in env})
            env['TMPDIR'] = env['HOME'] = self._within('tmp')
        elif self._settings['confinement'] == 'namespaces':
            if self.fresh and any(_is_within(env.get('HOME', ''), one) for one in self._settings['hidden']):
                env['HOME'] = '/tmp'
            for name in (*_TEMPORARY, 'HOME'):
                if env.get(name, '').startswith('/tmp/'):
                    os.makedirs(env[name], 0o700, exist_ok=True)

    @property
    def own_paths(self):
        """Folders that it may write to."""
        return [self.root, self._within('tmp')] if self._own else [self.root, *self._settings['readWrite']]

    def paths(self):
        """Everything it may reach under Landlock: path -> rights."""
        settings = self._settings
        own = landlock.write_rights(settings['landlockAbi'])
        rights = dict(landlock.DEVICES)
        rights.update({path: landlock.READ for path in settings['readOnly']})
        rights.update({path: own for path in self.own_paths})
        return rights
`,
  pool: `"""The supervisors of a runner: one for each execution, some done with theirs, some forked ahead."""

import os
import time

forking = load('forking')
limits = load('limits')
packages = load('packages')
place = load('place')
processes = load('processes')
workspace = load('workspace')

_GOODBYE_SECONDS = 2.0
_MOST_IDLE = 4
_MOST_BYTES_FOR_SPARE = 1 << 20


class Pool:
    """Hands them out and takes them back."""

    def __init__(self, settings):
        self._settings = settings
        self._all = {}  # by process id, until it has been waited for
        self._idle = []
        self._spares, self._spares_wanted = [], 0

    def take(self, asked, payload):
        """A spare, one that is done with another execution, or a new one; it has been asked then."""
        if asked.is_python and asked.fresh and len(payload) <= _MOST_BYTES_FOR_SPARE:
            while self._spares:
                process = self._spares.pop(0)
                if process.order(asked, payload):
                    return process
                process.dismiss()
        while self._idle:
            process = self._idle.pop()
            if process.packages == packages.version() and process.again(asked, payload):
                return process
            process.dismiss()
        return self._fork(asked)

    def give_back(self, process, leftover):
        """Its execution is over."""
        if process.reusable and not leftover and len(self._idle) < _MOST_IDLE:
            self._idle.append(process)
        else:
            process.dismiss()

    def keep_spares(self, wanted):
        """Forks so many ahead, with what is imported now."""
        self._spares_wanted = wanted
        while self._spares:
            spare = self._spares.pop()
            spare.close_pipes()
            spare.dismiss()
        while self.lacks_spares:
            self.add_spare()

    @property
    def lacks_spares(self):
        """True when there are fewer than wanted."""
        return len(self._spares) < self._spares_wanted

    def add_spare(self):
        """Forks one ahead."""
        self._spares.append(self._fork(None))

    def _fork(self, asked):
        self._settings['packages'] = packages.version()
        process = forking.Process(self._settings, os.urandom(8).hex(), asked)
        self._all[process.pid] = process
        return process

    def others(self, asked):
        """Processes that count into an execution's limit and are not its own."""
        if asked.limits.get('processes') is None:
            return 0
        if self._settings['confinement'] == 'namespaces':
            # Its supervisor, which is the first process of its namespace.
            return 1
        forked_anew = not self._idle
        if self._settings['ownUid']:
            return 1 + len(self._all) + forked_anew
        return limits.processes_of_user() + forked_anew

    # -- their ends -----------------------------------------------------------------------------------

    @property
    def awaits_ends(self):
        """True when some have been let go and not been waited for."""
        return any(process.dismissed for process in self._all.values())

    def reap(self):
        """Waits for those that have ended, and for orphans of theirs."""
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            process = self._all.pop(pid, None)
            if process is not None:
                process.pid = None

    def sweep(self):
        """Ends what a supervisor left that was killed; true when some of it could not be ended."""
        self.reap()
        return processes.sweep(set(self._all))

    def clear(self, process):
        """Removes the workspace of a supervisor that was killed."""
        place.Place(self._settings, True, process.name).remove(surely=True)

    def end(self):
        """Ends all executions and all supervisors."""
        for process in self._all.values():
            process.kill()
            process.dismiss()
        deadline = time.monotonic() + _GOODBYE_SECONDS
        while self._all and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.001)
        killed = list(self._all.values())
        for process in killed:
            process.kill_at_once()
        if killed:
            self.sweep()
        for process in killed:
            self.clear(process)
        if self._settings.get('removeFreshRoot'):
            workspace.remove(self._settings['freshRoot'])
`,
  processes: `"""Ends all that an execution has started: by its namespace, by its signal domain, or one by one."""

import os
import signal
import time

_PATIENCE_SECONDS = 2.0


class Usage:
    """What processes used, as \`wait4\` tells it."""

    def __init__(self):
        self._seconds, self._peak = 0.0, 0

    def add(self, resources):
        """Adds what one process, and those it waited for, used."""
        self._seconds += resources.ru_utime + resources.ru_stime
        self._peak = max(self._peak, resources.ru_maxrss * 1024)

    def as_report(self):
        """As the host reads it."""
        return {'cpuMs': self._seconds * 1000, 'peakMemoryBytes': self._peak}


class Reachable:
    """All that this process may signal at all: where that is nothing but the execution."""

    leftover = False
    single_use = False

    def kill(self):
        """Kills all of it."""
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass

    def end(self, usage):
        """Kills until nobody is left."""
        while True:
            self.kill()
            try:
                usage.add(os.wait4(-1, 0)[2])
            except ChildProcessError:
                return


class Namespace(Reachable):
    """A namespace of processes, whose first one this is."""

    single_use = True

    def __init__(self):
        # Anywhere else it would be every process of the user.
        if os.getpid() != 1:
            raise RuntimeError('this is not the first process of a namespace')


class Domain(Reachable):
    """A Landlock domain that no signal leaves; see \`landlock.scope_signals\`, which has tried it."""


class Descendants:
    """Children, and theirs, by what /proc tells. A race with one that forks is run again and again."""

    def __init__(self):
        self.leftover = False

    @property
    def single_use(self):
        """True when something is left that would be taken for the next execution's."""
        return self.leftover

    def kill(self):
        """Kills those that are there now."""
        _kill_each(_descendants(()))

    def end(self, usage):
        """Kills until nobody is left, or for two seconds."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                pid, _, resources = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid:
                usage.add(resources)
            elif time.monotonic() > deadline:
                self.leftover = True
                return
            else:
                self.kill()
                time.sleep(0.001)


def _descendants(spared):
    """This process's children and theirs, but for those in \`spared\` and what comes from them."""
    parents = {int(name): _parent_of(name) for name in os.listdir('/proc') if name.isdigit()}
    found, last = set(), {os.getpid()}
    while last:
        last = {one for one, parent in parents.items() if parent in last} - found - set(spared)
        found |= last
    return found


def _kill_each(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def sweep(spared):
    """Ends this process's children but for the \`spared\`, and theirs; true when some could not be ended."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        found = _descendants(spared)
        if not found:
            return False
        if time.monotonic() > deadline:
            return True
        _kill_each(found)
        time.sleep(0.001)


def _parent_of(name):
    try:
        with open('/proc/%s/stat' % name, 'rb') as file:
            state, parent = file.read().rpartition(b')')[2].split()[:2]
    except (OSError, ValueError):
        return -1
    # A zombie has nobody below it, and cannot be ended any further.
    return -1 if state == b'Z' else int(parent)
`,
  program: `"""The process of a program, between its fork and its first own instruction: input, limits, walls."""

import errno
import functools
import os
import signal

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
limits = load('limits')
namespaces = load('namespaces')
python_program = load('python_program')
reasons = load('reasons')
system = load('system')
workspace = load('workspace')

STATUS, RULES, FAILED = 3, 4, b'\\r'
_RESERVED_SIGNALS = {int(signal.SIGCHLD), int(signal.SIGTERM), int(signal.SIGUSR1)}


class Unwound(BaseException):
    """Carries what a fork is to \`run\` down to the bottom of the stack, out of the runner's own calls."""

    def __init__(self, run):
        super().__init__()
        self.run = run


def become(settings, request, place, rules, laid_out, status, memory_flag):
    """Becomes the program that was asked for; never returns, but raises Unwound for Python code.
    \`status\` leads to the supervisor, which has perhaps laid out the workspace; \`rules\` are Landlock's."""
    # In the place of the line, which is not for programs.
    os.dup2(status, STATUS, inheritable=False)
    try:
        _prepare(settings, request, place, rules, laid_out)
        if request.is_python:
            _run_python(request, place, memory_flag)
        else:
            _execute(request)
    except Exception as error:
        workspace.write_all(STATUS, FAILED + frames.encoded(reasons.not_started(error)))
    os._exit(125)


def _prepare(settings, request, place, rules, laid_out):
    for descriptor in settings['cgroupSlots'][request.slot] if request.slot is not None else ():
        os.write(descriptor, b'0')
    os.setsid()
    _connect_input(request)
    if laid_out is None:
        if settings['confinement'] == 'namespaces' and request.limits.get('diskBytes'):
            namespaces.resize(place.root, request.limits['diskBytes'])
        if settings['confinement'] == 'namespaces':
            # Of a fork that was made ahead; later ones never had any.
            system.bound_capabilities()
            system.drop_capabilities()
        # Others have run since it was made.
        place.make()
        laid_out = place.lay_out(request)
        workspace.write_all(STATUS, frames.encoded(laid_out))
    if rules is not None:
        os.dup2(rules, RULES, inheritable=False)
    system.close_from(STATUS + 1 if rules is None else RULES + 1)
    limits.set_limits(request.rlimits())
    _enter(place.root, request.cwd)
    _confine(settings, rules is not None)


def _connect_input(request):
    if request.piped:
        return
    if request.input is None:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    else:
        # A file, so that /dev/stdin can be opened again; in memory, and counted as the program's.
        descriptor = os.memfd_create('stdin', os.MFD_CLOEXEC)
        workspace.write_all(descriptor, request.input)
        os.lseek(descriptor, 0, os.SEEK_SET)
    os.dup2(descriptor, 0)


def _enter(root, cwd):
    try:
        os.chdir(workspace.within(root, cwd))
    except OSError as error:
        reason = 'the working directory %r cannot be entered: %s' % (cwd, error.strerror)
        raise reasons.NotStarted(reason, errno.errorcode.get(error.errno)) from None


def _confine(settings, has_rules):
    # As it is for a process that nobody made private.
    system.set_dumpable(True)
    if has_rules:
        landlock.enter(RULES)
    if settings['syscallFilter']:
        settings['syscallFilter'].put_on()


def _execute(request):
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _RESERVED_SIGNALS)
    argv = request.program['argv']
    if not argv:
        raise reasons.NotStarted('there is no program to start: the argument list is empty', 'EINVAL')
    failure = None
    for path in _candidates(argv[0], request.env):
        try:
            os.execve(path, argv, request.env)
        except (FileNotFoundError, NotADirectoryError) as error:
            failure = failure or error
        except PermissionError as error:
            failure = error
    raise reasons.NotStarted('%s: %s' % (failure.strerror, argv[0]), errno.errorcode.get(failure.errno))


def _candidates(name, env):
    if '/' in name:
        return [name]
    return [os.path.join(folder or '.', name) for folder in env.get('PATH', os.defpath).split(':')]


def _run_python(request, place, memory_flag):
    # All that the program could reach of ours is closed before it runs.
    os.close(STATUS)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _RESERVED_SIGNALS)
    raise Unwound(functools.partial(python_program.run, request, place.root, memory_flag))
`,
  python_program: `"""Runs a Python file in this process as \`python3 -u file\` would, but for the start: the interpreter is warm.

Strings hash as in the runner: all executions of one runner share PYTHONHASHSEED.
"""

import _locale
import atexit
import builtins
import gc
import importlib.machinery
import itertools
import os
import signal
import sys
import types

streams = load('streams')
system = load('system')
workspace = load('workspace')

# A bare interpreter has these too, so a file beside the program does not take their name.
_always_there = set(
    'abc codecs encodings genericpath importlib io os posixpath site stat zipimport'
    ' _collections_abc _sitebuiltins __main__'.split()
).union(sys.builtin_module_names)
_OURS = []
_resolved = {}
_kept = []  # out of sight, and not taken apart
_CANNOT_BE_READ, _CANNOT_BE_WRITTEN = 2, 120
# How a program ends that raised, as the host is told it.
RAISED = {'kind': 'exit', 'code': 1}


def learn(always_there=()):
    """Notes the runner's own modules, and the names that any interpreter here has loaded."""
    _always_there.update(always_there)
    _OURS[:] = [name for name in sys.modules if name.startswith('_mendloop_')]


def resolved(root):
    """The root of a workspace without links; asked for before the fork, it is known there."""
    if root not in _resolved:
        _resolved[root] = os.path.realpath(root)
    return _resolved[root]


def run(request, root, memory_flag):
    """Runs it to its end; never returns. Called with next to nothing on the stack: programs look at it."""
    owner = os.getpid()
    entry = request.program['entry']
    path = workspace.within(root, entry)
    folder = os.path.dirname(os.path.join(resolved(root), entry) if request.fresh else os.path.realpath(path))
    _set_surroundings(request, folder, path if request.cwd else entry)
    code = 0
    try:
        source = _read(path)
        exec(compile(source, path, 'exec', dont_inherit=True), _main_module(path))
    except SystemExit as request:
        code = _exit_code(request.code)
    except BaseException as error:
        code = _report(error)
        # Only the program itself says so, not what it has forked.
        if isinstance(error, MemoryError) and os.getpid() == owner:
            memory_flag[0] = 1
    _finish(code)


def _set_surroundings(request, folder, name):
    # One by one: \`update\` asks first whether it is given a mapping, which takes longer than all of this.
    for variable, value in request.env.items():
        os.environ[variable] = value
    try:
        _locale.setlocale(_locale.LC_CTYPE, '')
    except _locale.Error:
        pass
    streams.install(request.piped or request.input is not None)
    sys.argv[:] = [name, *request.program['args']]
    more = request.env.get('PYTHONPATH', '')
    sys.path[:0] = [folder, *(more.split(os.pathsep) if more else ())]
    _unload_ours(sys.path[0 : 1 + bool(more)])
    _seed()


def _unload_ours(folders):
    """Takes away the runner's modules, and those loaded under the name of a file that the program has."""
    for name in _OURS:
        _kept.append(sys.modules.pop(name))
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in {one.partition('.')[0] for one in names}:
            if name in sys.modules and name not in _always_there:
                _unload(name)


def _unload(name):
    for one in list(sys.modules):
        if one.partition('.')[0] == name:
            del sys.modules[one]


def _seed():
    """\`random\` sees to itself in a fork."""
    numbers = sys.modules.get('numpy.random')
    if numbers is not None:
        numbers.seed()


def _main_module(path):
    module = types.ModuleType('__main__')
    module.__dict__.update(
        __file__=path,
        __builtins__=builtins,
        __loader__=importlib.machinery.SourceFileLoader('__main__', path),
        __annotations__={},
        __cached__=None,
    )
    # Put last: what comes after it is the program's, see \`_let_go\`.
    sys.modules.pop('__main__', None)
    sys.modules['__main__'] = module
    return module.__dict__


def _read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError as error:
        said = "%s: can't open file %r: [Errno %d] %s\\n" % (sys.executable, path, error.errno, error.strerror)
        sys.stderr.write(said)
        raise SystemExit(_CANNOT_BE_READ) from None


def _exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        sys.stderr.write('%s\\n' % (code,))
    except Exception:
        pass
    return 1


def _drop_our_frames(error):
    """What Python itself would show begins with the program's own frame."""
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next


def _report(error):
    """Shows an exception as Python does; returns the exit code."""
    _drop_our_frames(error)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as request:
        return _exit_code(request.code)
    except BaseException as second:
        _drop_our_frames(second)
        second.__context__ = None
        sys.stderr.write('Error in sys.excepthook:\\n')
        sys.__excepthook__(type(second), second, second.__traceback__)
        sys.stderr.write('\\nOriginal exception was:\\n')
        sys.__excepthook__(type(error), error, error.__traceback__)
    return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1


def _finish(code):
    """What Python does at its end, in its order, but for its teardown, which takes longer than all this."""
    threading = sys.modules.get('threading')
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            _report(error)
    atexit._run_exitfuncs()
    if not streams.flush():
        code = code or _CANNOT_BE_WRITTEN
    _let_go()
    streams.flush()
    system.flush_native_output()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _let_go():
    """Drops the program's modules: what it did not flush to files is written, and \`__del__\` runs."""
    for name in list(itertools.takewhile(lambda one: one != '__main__', reversed(sys.modules))):
        del sys.modules[name]
    sys.modules.pop('__main__', None)
    # Before the collection, which may close a file ahead of the buffer that is to be written to it.
    streams.flush_all(gc.get_objects())
    gc.collect()
`,
  reasons: `"""Why something did not come about: words for people, and the system's name for it."""

import errno


def reason_of(error):
    """(words, name or None) of an exception."""
    if isinstance(error, OSError) and error.strerror:
        where = '' if error.filename is None else ': %s' % (error.filename,)
        return error.strerror + where, errno.errorcode.get(error.errno)
    return '%s: %s' % (type(error).__name__, error), None


def not_started(error):
    """How an execution ended that never began, as the host is told it."""
    words, name = error.args if isinstance(error, NotStarted) else reason_of(error)
    how = {'kind': 'not-started', 'reason': words}
    if name:
        how['code'] = name
    return how


def end_of(error):
    """A whole end for it."""
    return {'how': not_started(error), 'durationMs': 0, 'leftover': False}


class NotStarted(Exception):
    """With words of its own: (words, name or None)."""
`,
  report: `"""What a supervisor tells of an execution: how it ended, and the files that it left."""

import os
import select
import signal

frames = load('frames')
line = load('line')
workspace = load('workspace')


def collect(root, laid_out):
    """Sends the files of an open workspace that are new or changed; returns which ones it could not send."""

    def emit(path, size, offset, piece):
        tell(frames.FILE, frames.with_header({'path': path, 'sizeBytes': size, 'offset': offset}, piece))

    try:
        # The program may have closed it.
        os.fchmod(root, 0o700)
    except OSError:
        pass
    wanted = laid_out['collect']
    collection = workspace.Collection(laid_out['digests'], wanted['files'], wanted['bytes'], emit)
    collection.walk(root)
    return {'deleted': collection.deleted, 'withheld': collection.withheld}


def how(status):
    """A wait status as the host is told it."""
    if os.WIFSIGNALED(status):
        return {'kind': 'signal', 'signal': _signal_name(os.WTERMSIG(status))}
    return {'kind': 'exit', 'code': os.WEXITSTATUS(status)}


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return 'SIG%d' % number


def orphaned():
    """True when the runner died before its death could be told: nobody reads the reports."""
    poll = select.poll()
    poll.register(line.NUMBER, 0)
    return bool(poll.poll(0))


def tell(kind, payload):
    """Sends the runner a frame."""
    try:
        workspace.write_all(line.NUMBER, frames.frame(kind, 0, payload))
    except OSError:
        # The runner is gone; what is left to do is done all the same.
        pass
`,
  request: `"""What the host asks for in an EXECUTE frame."""

frames = load('frames')
limits = load('limits')


class Request:
    """One execution, as it was asked for; \`others\` is added to its limit of processes."""

    def __init__(self, payload, others=0):
        header, rest = frames.split_header(payload)
        self.others = others
        self.program = header['program']
        self.env = header['env']
        self.cwd = header['cwd']
        self.fresh = header['workspace'] == 'fresh'
        self.limits = header['limits']
        self._rlimits = None
        self.collect = header.get('collect')
        self.slot = header.get('slot')
        self.is_python = self.program['kind'] == 'python'
        stdin = header['stdin']
        self.piped = stdin == 'pipe'
        self.files = []
        for entry in header.get('files') or ():
            self.files.append((entry['path'], rest[: entry['sizeBytes']]))
            rest = rest[entry['sizeBytes'] :]
        self.input = rest[: stdin['bytes']] if isinstance(stdin, dict) else None

    def rlimits(self):
        """Its limits as they are set on a process; worked out once."""
        if self._rlimits is None:
            self._rlimits = limits.limits_to_set(self.limits, self.others)
        return self._rlimits
`,
  rules: `"""The Landlock ruleset of the programs of one supervisor: made once, since that takes long."""

import os
import time

landlock = load('landlock')

_GOOD_FOR_SECONDS = 1.0


class Rules:
    """Made anew when other files are at the paths: its own at once, the machine's after a second."""

    def __init__(self, settings):
        self._settings = settings
        self._descriptor = None
        self._good_until = 0.0
        self._own, self._reachable = None, None

    def of(self, place):
        """The ruleset of what a program in this place may reach, as a descriptor; it stays open."""
        own = _identities(place.own_paths)
        now = time.monotonic()
        if own == self._own and now < self._good_until:
            return self._descriptor
        paths = place.paths()
        reachable = _identities(paths)
        if own != self._own or reachable != self._reachable:
            made = landlock.ruleset(self._settings['landlockAbi'], paths, self._settings['network'])
            if self._descriptor is not None:
                os.close(self._descriptor)
            self._descriptor, self._own, self._reachable = made, own, reachable
        self._good_until = now + _GOOD_FOR_SECONDS
        return self._descriptor


def _identities(paths):
    return [(path, _identity(path)) for path in paths]


def _identity(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
`,
  runner: `"""The fork runner: a warm process that starts a confined one for each execution that the host asks for."""

import json
import os
import select
import sys
import time

descriptors = load('descriptors')
execution = load('execution')
frames = load('frames')
packages = load('packages')
pool = load('pool')
program = load('program')
python_program = load('python_program')
reasons = load('reasons')
request = load('request')
settings_of = load('settings')
streams = load('streams')
system = load('system')


class HostGone(Exception):
    """Nobody speaks to the runner any more."""


def main(setup):
    """Serves the host until it is gone; never returns."""
    settings = settings_of.settings_of(setup)
    system.set_dumpable(False)
    incoming, outgoing = descriptors.arrange(settings)
    if settings['runnerFilter']:
        system.refuse_new_privileges()
        settings['runnerFilter'].put_on()
    settings_of.decide(settings)
    if settings['confinement'] != 'namespaces':
        # What a supervisor leaves behind that was itself killed comes here.
        system.adopt_orphans()
    packages.put_away_environment()
    packages.warm_up()
    streams.make_ahead()
    python_program.learn()
    packages.freeze()
    runner = Runner(settings, incoming, outgoing)
    kept = None
    try:
        runner.serve()
    except program.Unwound as unwound:
        # In a fork, which has become a program. What the runner's calls hold is kept: to let go takes long.
        kept = unwound
        run = unwound.run
    except (HostGone, BrokenPipeError):
        run = runner.pool.end
    except BaseException as error:
        # A fault of ours: told on stderr, and nothing stays behind.
        sys.excepthook(type(error), error, error.__traceback__)
        run = runner.pool.end
    run()
    del kept
    os._exit(0)


class Runner:
    """Waits for the host and for all executions at once."""

    def __init__(self, settings, incoming, outgoing):
        self._settings = settings
        self._orders = frames.FrameReader()
        self._poll = select.epoll()
        self._handlers, self._masks = {}, {}
        self._executions = {}
        self._timers = []
        self._was_congested = False
        self.outbox = frames.Outbox(outgoing)
        self.pool = pool.Pool(settings)
        os.set_blocking(incoming, False)
        self.watch(incoming, self._on_host)

    def serve(self):
        """Introduces itself and serves. Raises HostGone or BrokenPipeError at the end."""
        settings = self._settings
        self.outbox.put(frames.MAGIC)
        hello = {
            'protocol': 1,
            'python': settings_of.interpreter(),
            'confinement': settings['confinement'],
            'syscallFilter': settings['syscallFilter'] is not None,
            'landlockAbi': settings['landlockAbi'],
        }
        self.outbox.send(frames.HELLO, 0, frames.encoded(hello))
        while True:
            self._hand_over()
            happened = self._poll.poll(self._patience())
            if not happened and self.pool.lacks_spares:
                self.pool.add_spare()
            for descriptor, events in happened:
                handler = self._handlers.get(descriptor)
                if handler is not None:
                    handler(descriptor, events)
            self._run_timers()
            self.pool.reap()

    # -- the loop -------------------------------------------------------------------------------------

    def watch(self, descriptor, handler, mask=select.EPOLLIN):
        """Calls \`handler(descriptor, events)\` when something can be done with it."""
        self._handlers[descriptor] = handler
        if self._masks.get(descriptor) == mask:
            return
        if descriptor in self._masks:
            self._poll.modify(descriptor, mask)
        else:
            self._poll.register(descriptor, mask)
        self._masks[descriptor] = mask

    def ignore(self, descriptor):
        """Calls nobody for it any more."""
        if self._masks.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)
            del self._handlers[descriptor]

    def later(self, action, seconds):
        """Calls \`action\` after a while."""
        self._timers.append((time.monotonic() + seconds, action))

    def _hand_over(self):
        self.outbox.flush()
        if self.outbox.empty:
            self.ignore(self.outbox.descriptor)
        else:
            self.watch(self.outbox.descriptor, lambda *_: None, select.EPOLLOUT)
        if self.outbox.congested != self._was_congested:
            self._was_congested = self.outbox.congested
            for one in list(self._executions.values()):
                one.refresh()

    def _patience(self):
        waits = [at - time.monotonic() for at, _ in self._timers]
        if self.pool.lacks_spares:
            # Not in the time of an execution.
            waits.append(0.01 if self._executions else 0.0005)
        if self.pool.awaits_ends:
            waits.append(0.02)
        return max(0.0, min(waits)) if waits else None

    def _run_timers(self):
        if self._timers:
            now = time.monotonic()
            due = [action for at, action in self._timers if at <= now]
            self._timers = [timer for timer in self._timers if timer[0] > now]
            for action in due:
                action()

    # -- the host -------------------------------------------------------------------------------------

    def _on_host(self, descriptor, _events):
        try:
            data = os.read(descriptor, 1 << 18)
        except BlockingIOError:
            return
        if not data:
            raise HostGone
        for kind, number, payload in self._orders.feed(data):
            self._obey(kind, number, payload)

    def _obey(self, kind, number, payload):
        if kind == frames.EXECUTE:
            self._execute(number, payload)
        elif kind == frames.PREPARE:
            self._prepare(number, payload)
        elif number in self._executions:
            one = self._executions[number]
            if kind == frames.STDIN:
                one.write(payload)
            elif kind == frames.STDIN_END:
                one.end_input()
            elif kind == frames.KILL:
                one.kill()
            elif kind == frames.TERMINATE:
                one.terminate()
            elif kind in (frames.PAUSE, frames.RESUME):
                one.pause(kind == frames.PAUSE)

    def _prepare(self, number, payload):
        loaded, failed = [], {}
        try:
            preparation = json.loads(payload)
            loaded, failed = packages.preload(preparation.get('preload') or ())
            self.pool.keep_spares(preparation.get('spares') or 0)
        except Exception as error:
            failed['spares'], _ = reasons.reason_of(error)
        self.outbox.send(frames.READY, number, frames.encoded({'loaded': loaded, 'failed': failed}))

    def _execute(self, number, payload):
        if number in self._executions:
            return
        try:
            asked = request.Request(payload)
            asked.others = self.pool.others(asked)
            if asked.is_python:
                packages.find()
            process = self.pool.take(asked, payload)
        except Exception as error:
            self.outbox.send(frames.EXIT, number, frames.encoded(reasons.end_of(error)))
            return
        self._executions[number] = one = execution.Execution(self, process)
        one.begin(number, asked.piped)

    def forget(self, number, process, leftover):
        """An execution is over."""
        del self._executions[number]
        self.pool.give_back(process, leftover)
`,
  settings: `"""What the host decided when it started the runner, and which walls there really are."""

import binascii
import os
import sys

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
        settings[name] = system.Filter(binascii.a2b_base64(setup[name])) if setup.get(name) else None
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
        namespaces.furnish(settings, True)
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
    """None when \`attempt\` works in a fork of its own; what went wrong otherwise."""
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
    # Without \`site\`, which looks for this file, a virtual environment does not know that it is one.
    around = os.path.dirname(os.path.dirname(sys.executable))
    if os.path.exists(os.path.join(around, 'pyvenv.cfg')):
        prefix = around
    return {
        'version': '%d.%d.%d' % sys.version_info[:3],
        'executable': sys.executable,
        'prefix': prefix,
        'basePrefix': sys.base_prefix,
    }
`,
  streams: `"""Standard streams as \`python3 -u\` opens them in a UTF-8 locale."""

import io
import os
import sys


_BUFFERED = (io.BufferedWriter, io.BufferedRandom)
_FILES = (io.TextIOWrapper, *_BUFFERED)
_ahead = []


def make_ahead():
    """Makes streams over what a program's most often are, so that forks need not: pipes, and no input."""
    reader, writer = os.pipe()
    for descriptor, errors in ((1, 'surrogateescape'), (2, 'backslashreplace')):
        kept = os.dup(descriptor)
        os.dup2(writer, descriptor)
        _ahead.append(_output(descriptor, errors))
        os.dup2(kept, descriptor)
        os.close(kept)
    os.close(reader)
    os.close(writer)
    nothing = os.open(os.devnull, os.O_RDONLY)
    kept = os.dup(0)
    os.dup2(nothing, 0)
    _ahead.append(_input())
    os.dup2(kept, 0)
    os.close(kept)
    os.close(nothing)


def install(has_input):
    """Puts a program's streams in the place of the runner's."""
    # Kept: to take them apart takes longer.
    _ahead.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdout = sys.__stdout__ = _ahead[0]
    sys.stderr = sys.__stderr__ = _ahead[1]
    sys.stdin = sys.__stdin__ = _input() if has_input else _ahead[2]


def _input():
    # No translation of line ends on the way in either: Python has none there.
    binary = open(0, 'rb', closefd=False)
    stream = io.TextIOWrapper(binary, encoding='utf-8', errors='surrogateescape', newline='\\n')
    stream.mode = 'r'
    return stream


def _output(descriptor, errors):
    raw = io.FileIO(descriptor, 'wb', closefd=False)
    stream = io.TextIOWrapper(raw, encoding='utf-8', errors=errors, newline='\\n', write_through=True)
    stream.mode = 'w'
    return stream


def flush():
    """Flushes both outputs; false when that of \`stdout\` failed."""
    for stream in (sys.stderr, sys.stdout):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:
            if stream is sys.stdout:
                return False
    return True


def flush_all(objects):
    """Flushes the files among \`objects\`, those with text first, because their bytes go to another one."""
    files = [one for one in objects if issubclass(type(one), _FILES)]
    for kind in (io.TextIOWrapper, _BUFFERED):
        for one in files:
            if issubclass(type(one), kind):
                try:
                    one.flush()
                except (OSError, ValueError):
                    # Full, or closed.
                    pass
`,
  supervisor: `"""The process above one execution: forks the program, ends all that it started, and tells how it went."""

import json
import mmap
import os
import select
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
line = load('line')
namespaces = load('namespaces')
packages = load('packages')
python_program = load('python_program')
place = load('place')
processes = load('processes')
program = load('program')
reasons = load('reasons')
report = load('report')
request = load('request')
rules = load('rules')
system = load('system')

LINE, FIRST_SLOT = line.NUMBER, 4
_KILL, _TERMINATE, _CHILD = int(signal.SIGTERM), int(signal.SIGUSR1), int(signal.SIGCHLD)
_ORDERS = {_KILL, _TERMINATE, _CHILD}
_LOOK_AGAIN_SECONDS = 0.05
_WELL = {'kind': 'exit', 'code': 0}


def main(settings, name, asked):
    """Supervises executions, one after the other; never returns, only its forks raise Unwound. Descriptors 0
    to 2 are the program's. A spare has not been \`asked\` for anything: its fork is there, at the line."""
    supervisor = None
    try:
        supervisor = _Supervisor(settings, name, asked)
        supervisor.run()
    except program.Unwound:
        raise
    except BaseException as error:
        # What has been forked may have run: of that, nothing is told but the silence of its supervisor.
        if supervisor is None or not supervisor.has_forked:
            report.tell(frames.EXIT, frames.encoded(reasons.end_of(error)))
    os._exit(0)


class _Supervisor:
    def __init__(self, settings, name, asked):
        self._settings = settings
        self._asked = asked
        self._spare = asked is None
        self._line = line.end(LINE)
        self._nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._place = place.Place(settings, self._spare or asked.fresh, name)
        self.has_forked = False
        self._memory_flag = None
        self._tree = None
        self._ruleset, self._rules = rules.Rules(settings), None

    def run(self):
        self._tree = self._make_walls()
        if report.orphaned():
            return
        _signal.pthread_sigmask(_signal.SIG_BLOCK, _ORDERS)
        while self._asked or self._spare:
            try:
                self._place.make()
                self._supervise()
            except (OSError, ValueError) as error:
                if self.has_forked:
                    raise
                # The files could not be put in.
                self._let_go()
                report.tell(frames.EXIT, frames.encoded(reasons.end_of(error)))
            self._place.empty()
            # A namespace is for one execution; a Landlock domain is empty again when all in it are dead.
            self._spare, self._asked = False, None if self._tree.single_use else self._next()
        self._place.remove()

    def _make_walls(self):
        settings = self._settings
        if settings['confinement'] == 'namespaces':
            # Without rights on the machine, and with all of them in here until the program has been forked.
            namespaces.identify(settings['user'], settings['group'])
            system.die_with_parent(signal.SIGKILL)
            disk = self._asked and self._asked.limits.get('diskBytes')
            namespaces.furnish(settings, self._place.fresh, disk)
            if not self._spare:
                self._drop_rights()
            system.refuse_new_privileges()
            return processes.Namespace()
        system.die_with_parent(_KILL)
        system.adopt_orphans()
        if settings['confinement'] == 'landlock':
            self._drop_rights()
        system.refuse_new_privileges()
        scoped = settings['confinement'] == 'landlock' and landlock.scope_signals(settings['landlockAbi'])
        return processes.Domain() if scoped else processes.Descendants()

    def _drop_rights(self):
        system.bound_capabilities()
        system.drop_capabilities()

    def _next(self):
        received = line.asked(self._line)
        if received is None:
            return None
        others, payload, pipes = received
        for wanted, descriptor in enumerate(pipes):
            os.dup2(descriptor, wanted)
            os.close(descriptor)
        asked = request.Request(payload, others)
        self._place.fresh = asked.fresh
        return asked

    def _supervise(self):
        self.has_forked = False
        # Python code says in it that memory ran out: no descriptor has to stay open in the program for that.
        # A new one each time: the program can write to all of its page.
        self._memory_flag = mmap.mmap(-1, 1)
        root = os.open(self._place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # Before the fork: here the pages are this process's own and need not be copied.
            laid_out = None if self._spare else self._place.lay_out(self._asked)
            python_program.resolved(self._place.root)
            if not self._spare:
                self._asked.rlimits()
            if self._settings['confinement'] == 'landlock':
                self._rules = self._ruleset.of(self._place)
            first, status = self._fork(laid_out)
            self._let_go()
            self._asked = None
            if self._settings['confinement'] == 'namespaces' and self._spare:
                self._drop_rights()
            self._watch(first, status, root, laid_out)
        except (OSError, ValueError):
            os.close(root)
            raise
        os.close(root)

    def _fork(self, laid_out):
        """Process id, and where the fork says what became of it."""
        status, told = os.pipe()
        try:
            first = os.fork()
        except OSError:
            os.close(status)
            os.close(told)
            raise
        if first == 0:
            self._become(told, laid_out)
        self.has_forked = True
        os.close(told)
        return first, status

    def _let_go(self):
        """Keeps nothing that belongs to the program, so that its pipes end with it."""
        for descriptor in range(LINE):
            os.dup2(self._nothing, descriptor)

    def _become(self, told, laid_out):
        try:
            asked = self._asked
            if self._spare:
                packages.warm_up()
                received = line.asked(self._line)
                if received is None:
                    os._exit(0)
                asked = request.Request(received[1], received[0])
            program.become(
                self._settings, asked, self._place, self._rules, laid_out, told, self._memory_flag
            )
        except program.Unwound:
            raise
        except BaseException:
            # Whatever happens, a fork is never a second supervisor.
            os._exit(125)

    def _watch(self, first, status, root, laid_out):
        tree = self._tree
        said = self._listen(status)
        started = time.monotonic()
        before, _, failure = said.partition(program.FAILED)
        if not failure:
            report.tell(frames.STARTED, b'{}')
        usage = processes.Usage()
        how = report.how(_await(first, tree, usage))
        end = {'how': how, 'durationMs': (time.monotonic() - started) * 1000}
        tree.end(usage)
        end.update(usage.as_report(), leftover=tree.leftover)
        if failure:
            end['how'] = json.loads(failure)
        else:
            # The program can write it too, which gains it no more than to raise the error.
            if self._memory_flag[0] and end['how'] == python_program.RAISED:
                end['outOfMemory'] = True
            laid_out = laid_out or json.loads(before or b'{}')
            if end['how'] != _WELL and self._place.is_full(root):
                end['diskFull'] = True
            if laid_out.get('collect'):
                end.update(report.collect(root, laid_out))
        report.tell(frames.EXIT, frames.encoded(end))

    def _listen(self, status):
        """What the program's process says until it has become the program, as bytes."""
        said = b''
        while True:
            patience = None if self._spare and not said else _LOOK_AGAIN_SECONDS
            if select.select([status], [], [], patience)[0]:
                piece = os.read(status, 1 << 16)
                if not piece:
                    break
                said += piece
            elif _KILL in _signal.sigpending():
                self._tree.kill()
        os.close(status)
        return said


def _await(first, tree, usage):
    """Wait status of the first process. An order to kill comes as a signal, also when the runner has died."""
    while True:
        order = _signal.sigwait(_ORDERS)
        if order == _KILL:
            tree.kill()
        elif order == _TERMINATE:
            _terminate(first)
        while True:
            pid, status, resources = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            usage.add(resources)
            if pid == first:
                return status


def _terminate(first):
    """Asks the program, which leads a group, and the rest of that group to end."""
    try:
        os.killpg(first, signal.SIGTERM)
    except OSError:
        # It has ended; waiting for it tells how.
        pass
`,
  system: `"""What the kernel offers and Python does not. Calls hold the interpreter's lock, as \`clone\` needs it."""

import ctypes
import os
import signal
import struct

NEW_NAMESPACES = 0x10000000 | 0x20000000 | 0x00020000 | 0x08000000  # user, processes, mounts, IPC
MOUNT_READ_ONLY, MOUNT_NO_SETUID, MOUNT_NO_DEVICES, MOUNT_NO_EXEC = 1, 2, 4, 8
MOUNT_REMOUNT, MOUNT_BIND, MOUNT_RECURSIVE, MOUNT_PRIVATE = 32, 4096, 16384, 1 << 18

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SECCOMP, _DROP_BOUNDING = 1, 4, 22, 24
_SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVILEGES = 36, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_CLOSE_RANGE = 436
_LAST_DESCRIPTOR = 0xFFFFFFFF
_CLONE = {'x86_64': 56, 'aarch64': 220}

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
# Made once: each new type of array costs a fork a hundred pages.
_capability_header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
_no_capabilities = (ctypes.c_uint32 * 6)()
_capabilities = (ctypes.c_uint32 * 6)(*[1] * 6)
_libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]


def _checked(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, '%s: %s' % (what, os.strerror(number)))
    return result


def call(what, number, *arguments):
    """A system call by its number. Whole numbers and bytes are taken."""
    wide = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *wide), what)


def control(option, value=0, extra=0):
    """One \`prctl\`."""
    return _checked(_libc.prctl(option, value, extra, 0, 0), 'prctl %d' % option)


def clone(flags):
    """Forks into new namespaces; 0 in the child, as \`os.fork\` returns it."""
    number = _CLONE.get(os.uname().machine)
    if number is None:
        raise OSError(38, 'clone: not known for this kind of processor')
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    no_stack_of_its_own = [ctypes.c_long(0)] * 4
    child = _libc.syscall(ctypes.c_long(number), ctypes.c_long(flags | signal.SIGCHLD), *no_stack_of_its_own)
    if child == 0:
        python.PyOS_AfterFork_Child()
        return 0
    failure = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if child < 0:
        raise OSError(failure, 'clone: %s' % os.strerror(failure))
    return child


def mount(source, target, kind, flags, data=None):
    """Mounts; strings are paths of the file system."""
    names = [None if one is None else os.fsencode(one) for one in (source, target, kind)]
    _checked(_libc.mount(*names, flags, None if data is None else data.encode()), 'mount %s' % target)


def close_range(first, last):
    """Closes every descriptor from \`first\` to \`last\`."""
    try:
        call('close_range', _CLOSE_RANGE, first, last, 0)
    except OSError:
        # Before Linux 5.9.
        for descriptor in map(int, os.listdir('/proc/self/fd')):
            if first <= descriptor <= last:
                try:
                    os.close(descriptor)
                except OSError:
                    pass


def close_from(first):
    """Closes every descriptor from \`first\` on."""
    close_range(first, _LAST_DESCRIPTOR)


def close_all_but(kept):
    """Closes every descriptor that is not in \`kept\`."""
    first = 0
    for descriptor in sorted(kept):
        if descriptor > first:
            close_range(first, descriptor - 1)
        first = descriptor + 1
    close_from(first)


def set_dumpable(dumpable):
    """Opens or closes this process's memory and descriptors to others of its user."""
    control(_SET_DUMPABLE, int(dumpable))


def die_with_parent(number):
    """Asks for a signal when the parent ends."""
    control(_SET_DEATH_SIGNAL, number)


def adopt_orphans():
    """Makes what this process's descendants leave behind its own children."""
    control(_SET_CHILD_SUBREAPER, 1)


def refuse_new_privileges():
    """No setuid program gives anything from here on; filters and Landlock need it."""
    control(_SET_NO_NEW_PRIVILEGES, 1)


def bound_capabilities():
    """No program that this process, or one that it forks, becomes can have a capability again."""
    for capability in range(64):
        # Fails beyond the last one the kernel knows, and where there is no right to drop any.
        if _libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) < 0:
            break


def drop_capabilities():
    """Gives up every capability that this process has."""
    result, failure = _libc.capset(_capability_header, _no_capabilities), ctypes.get_errno()
    # A filter may refuse to set what is not there anyway.
    if result < 0 and (_libc.capget(_capability_header, _capabilities) < 0 or any(_capabilities)):
        raise OSError(failure, 'capset: %s' % os.strerror(failure))


class Filter:
    """A system-call filter (classic BPF, as bytes), laid out ahead as the kernel takes it."""

    def __init__(self, program):
        self._code = ctypes.create_string_buffer(program, len(program))
        head = struct.pack('HxxxxxxQ', len(program) // 8, ctypes.addressof(self._code))
        self._head = ctypes.create_string_buffer(head)
        self._address = ctypes.addressof(self._head)

    def put_on(self):
        """Puts it on this process."""
        control(_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address)


def flush_native_output():
    """Writes what C code has buffered in its own \`stdout\`."""
    _libc.fflush(None)
`,
  workspace: `"""Files into a fresh workspace, and out of it again without following anything that a program left there."""

import os
import stat

try:
    # Without the megabytes of OpenSSL that \`hashlib\` loads.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

PIECE_BYTES = 1 << 20
_UNLIKELY_NAME = os.urandom(12).hex()
_MOST_DEPTH = 64
_MOST_ENTRIES = 100000
_MOST_WITHHELD = 1000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def within(root, path):
    """Absolute path of something in the workspace."""
    if path.startswith('/') or '..' in path.split('/'):
        raise ValueError('the path %r is not within the workspace' % path)
    return os.path.join(root, path) if path else root


def put(root, files, compared):
    """Writes files, each (path, bytes); returns digests by path when they are to be \`compared\`."""
    digests = {}
    for path, data in files:
        full = within(root, path)
        if '/' in path:
            os.makedirs(os.path.dirname(full), exist_ok=True)
        descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
        if compared:
            digests[path] = blake2b(data, digest_size=16).hexdigest()
    return digests


def write_all(descriptor, data):
    """Writes all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class Collection:
    """What is taken out of a workspace once nobody lives in it any more."""

    def __init__(self, digests, most_files, most_bytes, emit):
        self._missing = dict(digests)
        self._files_left = most_files
        self._bytes_left = most_bytes
        self._entries_left = _MOST_ENTRIES
        self._emit = emit  # called with (path, size, offset, bytes)
        self.withheld = []

    def walk(self, folder, prefix='', depth=0):
        """Everything below the open folder."""
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            self._withhold_below(prefix)
            return
        for name in names:
            self._entries_left -= 1
            path = prefix + name
            if self._entries_left < 0 or depth > _MOST_DEPTH:
                self._withhold(path)
                self._withhold_below(prefix)
                return
            kind = _kind_of(folder, name)
            if stat.S_ISDIR(kind):
                self._enter(folder, name, path, depth)
            elif not stat.S_ISREG(kind) or not self._take(folder, name, path):
                self._withhold(path)

    @property
    def deleted(self):
        """Files put in that were not found."""
        return sorted(self._missing)

    def _enter(self, folder, name, path, depth):
        try:
            # The program may have closed it; it is this user's all the same.
            inner = _open_writable(folder, name)
        except OSError:
            self._withhold(path)
            self._withhold_below(path + '/')
            return
        try:
            self.walk(inner, path + '/', depth + 1)
        finally:
            os.close(inner)

    def _take(self, folder, name, path):
        """Sends one file, when it is new or changed; false when it has to stay."""
        before = self._missing.pop(path, None)
        try:
            path.encode()
            file = os.open(name, _FILE, dir_fd=folder)
        except (OSError, UnicodeEncodeError):
            return False
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
                return False
            if before is not None and before == _digest(file):
                return True
            if self._files_left < 1 or found.st_size > self._bytes_left:
                return False
            self._files_left -= 1
            self._bytes_left -= found.st_size
            self._send(file, path, found.st_size)
            return True
        except OSError:
            return False
        finally:
            os.close(file)

    def _send(self, file, path, size):
        offset = 0
        while offset < size or offset == size == 0:
            wanted = min(PIECE_BYTES, size - offset)
            # Of a file that shrinks meanwhile the size that was announced is kept to.
            piece = _read(file, wanted, offset).ljust(wanted, b'\\0')
            self._emit(path, size, offset, piece)
            offset += len(piece)
            if size == 0:
                return

    def _withhold_below(self, prefix):
        """Nobody has looked at these, so none of them is known to be gone."""
        for path in [one for one in self._missing if one.startswith(prefix)]:
            self._withhold(path)

    def _withhold(self, path):
        self._missing.pop(path, None)
        if len(self.withheld) < _MOST_WITHHELD:
            self.withheld.append(os.fsencode(path).decode('utf-8', 'replace'))


def _kind_of(folder, name):
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0


def _read(file, count, offset):
    try:
        return os.pread(file, count, offset)
    except OSError:
        return b''


def _digest(file):
    digest = blake2b(digest_size=16)
    offset = 0
    while True:
        piece = os.pread(file, PIECE_BYTES, offset)
        if not piece:
            return digest.hexdigest()
        digest.update(piece)
        offset += len(piece)


def remove(path):
    """Removes a folder with all that is in it."""
    empty(path)
    try:
        os.rmdir(path)
    except OSError:
        pass


def empty(path):
    """Makes a folder as new: what is in it may be unreadable, or deeper than anything can recurse."""
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
        os.chmod(path, 0o700)
        for name in os.listxattr(path, follow_symlinks=False):
            os.removexattr(path, name, follow_symlinks=False)
        top = os.open(path, _FOLDER)
    except OSError:
        return
    try:
        count, before = 0, None
        while True:
            folders = _strip(top)
            if not folders or folders == before:
                return
            before = folders
            for name in folders:
                count = _flatten(top, name, count)
    finally:
        os.close(top)


def _strip(folder):
    """Unlinks all but the folders; returns their names."""
    folders = []
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):
            folders.append(name)
        except OSError:
            pass
    return folders


def _flatten(top, name, count):
    """Removes one folder of \`top\`, moving the folders in it up, under names that are not taken."""
    try:
        inner = _open_writable(top, name)
        try:
            for sub in _strip(inner):
                os.close(_open_writable(inner, sub))
                count += 1
                os.rename(sub, '%s-%d' % (_UNLIKELY_NAME, count), src_dir_fd=inner, dst_dir_fd=top)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        pass
    return count


def _open_writable(folder, name):
    os.chmod(name, 0o700, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)
`,
} as const
