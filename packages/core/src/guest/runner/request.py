"""What the host asks for in an EXECUTE frame, and the few numbers of it that a supervisor is told."""

import marshal
import struct

frames = load('frames')
limits = load('limits')
system = load('system')

_LENGTH = struct.Struct('<I')
_MOST = (1 << 63) - 1
_MOST_SECONDS = (1 << 32) - 1


class Request:
    """One execution, as it was asked for; `others` is added to its limit of processes."""

    def __init__(self, header, rest, others=0):
        self._whole = header, rest
        self.others = others
        self.program = header['program']
        self.env = header['env']
        self.cwd = header['cwd']
        self.fresh = header['workspace'] == 'fresh'
        self.limits = header['limits']
        wanted = header.get('collect') if self.fresh else None
        self.collect = wanted and (wanted['files'], wanted['bytes'])  # most of them
        self.slot = header.get('slot')
        self.is_python = self.program['kind'] == 'python'
        stdin = header['stdin']
        self.piped = stdin == 'pipe'
        self.files = []
        for entry in header.get('files') or ():
            self.files.append((entry['path'], rest[: entry['sizeBytes']]))
            rest = rest[entry['sizeBytes'] :]
        self.input = rest[: stdin['bytes']] if isinstance(stdin, dict) else None

    @classmethod
    def asked(cls, payload):
        """What an EXECUTE frame holds."""
        return cls(*frames.split_header(payload))

    def write_to(self, file):
        """Writes it to a file, from which it is read faster than from its frame."""
        header, rest = self._whole
        data = marshal.dumps(header)
        for part in (_LENGTH.pack(len(data)), data, rest):
            system.write_all(file, part)

    @classmethod
    def written(cls, file, others=0):
        """What was written to a file."""
        view = memoryview(system.read_whole(file))
        (length,) = _LENGTH.unpack_from(view)
        return cls(marshal.loads(view[4 : 4 + length]), view[4 + length :], others)

    @property
    def size(self):
        """Bytes of files and input."""
        return len(self._whole[1])

    def rlimits(self):
        """Its limits as they are set on a process."""
        return limits.limits_to_set(self.limits, self.others)


class Control:
    """All that a supervisor learns of an execution. It has nothing to leave to the next one but numbers."""

    _LAYOUT = struct.Struct('<8s??QQQII')
    SIZE = _LAYOUT.size

    def __init__(self, name, fresh, disk_bytes=0, collect=None, others=0, cpu_seconds=0):
        self.name = name  # of its folder: 8 bytes that nobody can guess
        self.fresh = fresh
        self.disk_bytes = disk_bytes
        self.collect = collect
        self.others = others
        self.cpu_seconds = cpu_seconds  # of all its processes together; 0: any

    @classmethod
    def of(cls, name, asked):
        """Of a request."""
        asks = asked.limits.get
        most = min(asks('cpuSeconds')['hard'], _MOST_SECONDS) if asks('cpuSeconds') else 0
        return cls(name, asked.fresh, asks('diskBytes') or 0, asked.collect, asked.others, most)

    def packed(self):
        """As it travels."""
        files, size = self.collect or (0, 0)
        numbers = [min(int(one), _MOST) for one in (self.disk_bytes, files, size)]
        numbers += self.others, self.cpu_seconds
        return self._LAYOUT.pack(self.name, self.fresh, self.collect is not None, *numbers)

    @classmethod
    def unpacked(cls, data):
        """What was packed."""
        name, fresh, collects, disk_bytes, files, size, others, seconds = cls._LAYOUT.unpack(data)
        return cls(name, fresh, disk_bytes, (files, size) if collects else None, others, seconds)
