# The whole of the command line: runs the programs on standard input in order, each as a module.
import json, sys, types

for name, text in json.load(sys.stdin).items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, '<mendloop ' + name + '>', 'exec'), module.__dict__)
