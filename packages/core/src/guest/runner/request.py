"""What the host asks for in an EXECUTE frame."""

import marshal
import struct

frames = load('frames')
limits = load('limits')
system = load('system')

_LENGTH = struct.Struct('<I')
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
        data = marshal.dumps((header, self.others))
        for part in (_LENGTH.pack(len(data)), data, rest):
            system.write_all(file, part)

    @classmethod
    def written(cls, file):
        """What was written to a file."""
        view = memoryview(system.read_whole(file))
        (length,) = _LENGTH.unpack_from(view)
        header, others = marshal.loads(view[4 : 4 + length])
        return cls(header, view[4 + length :], others)

    @property
    def cpu_seconds(self):
        """Most of all its processes together; 0: any."""
        limit = self.limits.get('cpuSeconds')
        return min(limit['hard'], _MOST_SECONDS) if limit else 0

    def rlimits(self):
        """Its limits as they are set on a process."""
        return limits.limits_to_set(self.limits, self.others)
