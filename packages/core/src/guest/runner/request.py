"""What the host asks for in an EXECUTE frame: read by the desk, and as it has read it, by the process of a
program."""

import marshal
import struct

frames = load('frames')
limits = load('limits')

_LENGTH = struct.Struct('<I')
_MOST_SECONDS = (1 << 32) - 1


class Request:
    """One execution: `fields` of it, and the bytes of its files and its input, one after the other."""

    def __init__(self, fields, rest):
        self.__dict__ = fields
        self.rest = rest

    @classmethod
    def asked(cls, payload, others_of):
        """What an EXECUTE frame holds. When there is a limit of processes, `others_of()` are added to it."""
        header, rest = frames.split_header(payload)
        fresh, stdin, most = header['workspace'] == 'fresh', header['stdin'], header['limits']
        wanted = header.get('collect') if fresh else None
        others = others_of() if most.get('processes') is not None else 0
        cpu = most.get('cpuSeconds')
        fields = {
            'program': header['program'],
            'is_python': header['program']['kind'] == 'python',
            'env': header['env'],
            'cwd': header['cwd'],
            'fresh': fresh,
            # Most of them, and what comes first.
            'collect': wanted and (wanted['files'], wanted['bytes'], wanted.get('first') or []),
            'slot': header.get('slot'),
            'rlimits': limits.limits_to_set(most, others),
            'processes': most.get('processes') or 0,  # most of them; 0: any
            'disk_bytes': most.get('diskBytes'),
            # Of all its processes together; 0: any.
            'cpu_seconds': min(cpu['hard'], _MOST_SECONDS) if cpu else 0,
            'most_output': header.get('mostOutputBytes'),
            'piped': stdin == 'pipe',
            'sizes': [(entry['path'], entry['sizeBytes']) for entry in header.get('files') or ()],
            'input_bytes': stdin['bytes'] if isinstance(stdin, dict) else None,
        }
        return cls(fields, rest)

    def parts(self):
        """It as bytes, which are read faster than its frame."""
        fields = dict(self.__dict__)
        rest = fields.pop('rest')
        data = marshal.dumps(fields)
        return _LENGTH.pack(len(data)), data, rest

    @classmethod
    def read(cls, data):
        """Out of its bytes."""
        view = memoryview(data)
        (length,) = _LENGTH.unpack_from(view)
        return cls(marshal.loads(view[4 : 4 + length]), view[4 + length :])

    def hands_over(self, is_bounded):
        """How many descriptors its process gives the desk; `is_bounded`: a fresh workspace of it is."""
        return bool(self.fresh and (self.collect or is_bounded)) + (not self.is_python)

    def files(self):
        """Its files, each (path, bytes)."""
        at = 0
        for path, size in self.sizes:
            yield path, self.rest[at : at + size]
            at += size

    @property
    def input(self):
        """Its standard input, where it is not a pipe and not empty."""
        if self.input_bytes is None:
            return None
        at = sum(size for _, size in self.sizes)
        return self.rest[at : at + self.input_bytes]
