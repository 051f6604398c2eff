"""Where an execution works: its workspace, its temporary folder, and what it may reach beside them."""

import os

landlock = load('landlock')
system = load('system')
workspace = load('workspace')

_FOLDERS = ('work', 'tmp')
_ALL_RIGHTS = os.R_OK | os.W_OK | os.X_OK
_TEMPORARY = ('TMPDIR', 'TMP', 'TEMP')


def _is_within(path, folder):
    return (path + '/').startswith(folder.rstrip('/') + '/')


class Place:
    """In namespaces the sandbox's own paths are covered. Elsewhere a fresh workspace is a folder with a name
    that no other program can guess."""

    def __init__(self, settings, fresh, name):
        self._settings = settings
        self._is_within_namespaces = settings['confinement'] == 'namespaces'
        self.fresh = fresh
        # The folder that holds all of a fresh one, and all in it that programs write to.
        self.top, self.folders = None, ()
        if not self._is_within_namespaces:
            self.top = os.path.join(settings['freshRoot'], name)
            self.folders = tuple(os.path.join(self.top, one) for one in _FOLDERS)

    @property
    def root(self):
        """Absolute path of the workspace."""
        return self.folders[0] if self.fresh and self.folders else self._settings['workspace']

    @property
    def _own(self):
        return self.fresh and self.top is not None

    def make(self):
        """Makes the folders of a fresh one, where there are none yet."""
        if not self._own:
            return
        work, temporary = self.folders
        if os.access(work, _ALL_RIGHTS) and os.access(temporary, _ALL_RIGHTS):
            return
        self.open_up()
        for path in (self._settings['freshRoot'], self.top, *self.folders):
            if not os.path.lexists(path):
                os.mkdir(path, 0o700)

    def open_up(self):
        """Opens the folders of a fresh one, and those above, which programs of this user may have closed."""
        root = self._settings['freshRoot']
        if not os.access(os.path.dirname(root), os.X_OK):
            system.reopen(os.path.dirname(root))
        for path in (root, self.top, *self.folders):
            if not os.access(path, _ALL_RIGHTS):
                system.reopen(path)

    @property
    def is_bounded(self):
        """True when a fresh one takes only so much."""
        return self._is_within_namespaces

    def opened(self):
        """The workspace of a fresh one, open to be read."""
        return os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def lay_out(self, request):
        """Puts the program's files in, and sees to its home."""
        self._make_home(request)
        if self.fresh:
            workspace.put(self.root, request.files())

    def _make_home(self, request):
        """Sees to it that the temporary folder and the home are there, and nobody else's."""
        env = request.env
        if self._own:
            env.update({name: self.folders[1] for name in _TEMPORARY if name in env})
            env['TMPDIR'] = env['HOME'] = self.folders[1]
        elif self._settings['confinement'] == 'namespaces':
            if self.fresh and any(_is_within(env.get('HOME', ''), one) for one in self._settings['hidden']):
                env['HOME'] = '/tmp'
            for name in (*_TEMPORARY, 'HOME'):
                if env.get(name, '').startswith('/tmp/'):
                    os.makedirs(env[name], 0o700, exist_ok=True)

    @property
    def own_paths(self):
        """Folders that it may write to."""
        return [self.root, self.folders[1]] if self._own else [self.root, *self._settings['readWrite']]

    def paths(self):
        """Everything it may reach under Landlock: path -> rights."""
        settings = self._settings
        own = landlock.write_rights(settings['landlockAbi'])
        rights = dict(landlock.DEVICES)
        rights.update({path: landlock.READ for path in settings['readOnly']})
        rights.update({path: own for path in self.own_paths})
        return rights
