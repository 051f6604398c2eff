"""In the judge: makes the stand-ins, a class for each class of the candidate's, from what the candidate
tells of them."""

import types
import weakref

Broken = load('wire').Broken
standins = load('standins')
operators = load('operators')
Handle, StandInType = standins.Handle, standins.StandInType


class Mirror:
    """Every stand-in that the tests hold, by number, so that one object of the candidate's is one object
    here."""

    def __init__(self, link):
        self._link = link
        self._handles = weakref.WeakValueDictionary()
        self._classes = {}

    def is_held(self, number):
        return number in self._handles

    def handle(self, number, kind, *data):
        handle = self._handles.get(number)
        if handle is None:
            if type(number) is not int:
                raise Broken('not a number')
            handle = Handle.__new__(self._handle_class(kind))
            object.__setattr__(handle, '_mendloop_number', number)
            object.__setattr__(handle, '_mendloop_tainted', False)
            object.__setattr__(handle, '_mendloop_data', self._link.values(list(data)))
            self._handles[number] = handle
        else:
            self._handle_class(kind)
        return handle

    def _handle_class(self, tree):
        if tree[0] == 'C':
            kind = self.kind(*tree[1:])
            return kind if issubclass(kind, Handle) else self._plain_class(kind)
        return self._plain_class(self._link.decode(tree))

    def _plain_class(self, kind):
        """Class of the handles for objects of a shared class, such as a list too deep to cross."""
        if kind not in self._classes:
            names = [name for name in operators.FORWARDED if '__%s__' % name in dir(kind)]
            self._classes[kind] = self._make_class(0, kind.__name__, '', (Handle,), names, kind)
        return self._classes[kind]

    def kind(self, number, name=None, module='', bases=(), names=()):
        if name is None:
            return self._classes[number]
        if type(number) is not int or number in self._classes or type(name) is not str:
            raise Broken('not a new class')
        bases = [self._link.decode(base) for base in bases]
        looks = next((base for base in bases if base in standins.EXACT), None) or (
            standins.LOOKS.get(name) if module == 'builtins' else None
        )
        looks = looks or next(
            (base._mendloop_looks for base in bases if getattr(base, '_mendloop_looks', None)), None
        )
        # A namedtuple with methods of its own.
        looks = looks or next((tuple for base in bases if issubclass(base, tuple)), None)
        errors = tuple(base for base in bases if issubclass(base, BaseException))
        family = errors or tuple(base for base in bases if issubclass(base, Handle)) or (Handle,)
        self._classes[number] = self._make_class(number, name, str(module), family, names, looks)
        return self._classes[number]

    def _make_class(self, number, name, module, family, names, looks):
        body = {'__qualname__': name}
        if issubclass(family[0], BaseException):
            body.update(
                __module__=module, __str__=lambda error: error._mendloop_text, __getattr__=error_attribute
            )
        else:
            body.update(
                {'__%s__' % one: operators.FORWARDED[one] for one in names if one in operators.FORWARDED}
            )
            body.update(__slots__=(), _mendloop_looks=looks, **standins.DATA)
            body.setdefault('__hash__', Handle.__hash__)
            if looks is not None:
                body['__class__'] = property(lambda handle: looks)
        try:
            return StandInType(name, family, body, link=self._link, number=number)
        except TypeError:
            # An order of bases that the stand-ins cannot have; the first base alone will do.
            return StandInType(name, family[:1], body, link=self._link, number=number)

    def exception(self, number, kind, arguments, text, origin, details, cause=None):
        if origin:
            return self._link.lending.thrown(origin)
        kind = self._link.decode(kind)
        if not issubclass(kind, BaseException):
            raise Broken('an exception that is none')
        arguments = tuple(self._link.values(arguments))
        error = kind.__new__(kind, *arguments)
        error.args = arguments
        if kind.__init__ is not BaseException.__init__ and not isinstance(kind, StandInType):
            try:
                kind.__init__(error, *arguments)
            except TypeError:
                pass
        error.__dict__.update(_mendloop_number=number, _mendloop_text=str(text), _mendloop_link=self._link)
        if details is not None:
            error.__dict__['_mendloop_raised'] = details
        if cause is not None:
            error.__cause__ = self.exception(*cause[1:])
        return error


def error_attribute(error, name):
    if name.startswith('_mendloop') or standins.is_dunder(name):
        raise AttributeError(name)
    return error._mendloop_link.get(error._mendloop_number, name, type(error).__name__)
