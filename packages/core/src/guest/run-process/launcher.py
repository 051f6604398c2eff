# Started with `python3 -c`: runs a file as `python3 file` would, and notes in another what an error that nobody caught
# says there was too little of. Any output may say so too.
import os
import sys


def main():
    _, note, path, name, texts, *args = sys.argv
    # The working directory: what is loaded here is not the program's.
    has_folder = sys.path[:1] == ['']
    del sys.path[: int(has_folder)]
    there = set(sys.modules)
    load = loader(texts)
    main_module, shortages = load('main_module'), load('shortages')
    # A file beside the program may have the name of one of them.
    for other in set(sys.modules) - there:
        del sys.modules[other]
    owner = os.getpid()
    sys.argv[:] = [name, *args]
    if hasattr(sys, 'orig_argv'):
        sys.orig_argv[1:] = ['-u', *sys.argv]
    if has_folder:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    try:
        with open(path, 'rb') as file:
            source = file.read()
        if b'\0' in source:
            names = main_module.names_of(path)
            load('file_reader').reader_of(path)(names, names, True, None)
        else:
            exec(compile(source, path, 'exec', dont_inherit=True), main_module.names_of(path))
    except SystemExit:
        raise
    except BaseException as error:
        code = main_module.report(error)
        # Only the program itself says so, not what it has forked.
        if os.getpid() == owner:
            tell(note, shortages.shortage_of(error))
        if code >= 0:
            raise SystemExit(code) from None
        # It has been shown; Python itself then ends by the signal that stands for it.
        sys.excepthook = lambda *_: None
        raise


def loader(texts):
    """Gives the programs among `texts`, each after its name and all apart by form feeds, as modules that nobody else finds."""
    parts = texts.split('\f')
    by_name, loaded = dict(zip(parts[::2], parts[1::2])), {}

    def load(name):
        if name not in loaded:
            module = loaded[name] = type(sys)(name)
            module.load = load
            exec(compile(by_name[name], '<mendloop ' + name + '>', 'exec'), module.__dict__)
        return loaded[name]

    return load


def tell(note, shortage):
    if shortage:
        try:
            with open(note, 'w') as file:
                file.write(str(shortage))
        except OSError:
            # It ends as it does; nothing is said of why.
            pass


main()
