"""What the host asks for in an EXECUTE frame."""

frames = load('frames')
limits = load('limits')


class Request:
    """One execution, as it was asked for; `others` is added to its limit of processes."""

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
