"""Where an execution works: its workspace, its temporary folder, and what it may reach beside them."""

import os

landlock = load('landlock')
workspace = load('workspace')

_FOLDERS = ('work', 'tmp')
_TEMPORARY = ('TMPDIR', 'TMP', 'TEMP')


def _is_within(path, folder):
    return (path + '/').startswith(folder.rstrip('/') + '/')


class Place:
    """In namespaces the sandbox's own paths are covered. Elsewhere a fresh workspace is a numbered folder."""

    def __init__(self, settings, fresh, number):
        self._settings = settings
        self._folder = None
        self._is_made = False
        self.fresh = fresh
        if settings['confinement'] != 'namespaces':
            self._folder = os.path.join(settings['freshRoot'], str(number))

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
            if not self._is_made:
                # What may be there is of one that was killed.
                workspace.remove(self._folder)
                os.mkdir(self._folder, 0o700)
            self._is_made = True
            for name in _FOLDERS:
                if not os.path.lexists(self._within(name)):
                    os.mkdir(self._within(name), 0o700)

    def empty(self):
        """Makes a fresh one as new. Emptied and not made anew: that costs a file system ten times as much."""
        if self._own:
            for name in _FOLDERS:
                workspace.empty(self._within(name))

    def remove(self):
        """Removes everything again."""
        if self._is_made:
            workspace.remove(self._folder)

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
