# Started with `python3 -I -c`: takes the runner and its orders from standard input, then lets the runner run the tests.
import json
import os
import sys
import types


def main():
    orders = json.loads(sys.stdin.buffer.read())
    # The program sees the end of its input at once, and never these orders.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    names = []
    for name, text in orders.pop("programs").items():
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(compile(text, "<" + name + ">", "exec"), module.__dict__)
        names.append(name)
    run = sys.modules[orders.pop("runner")].run
    for name in names:
        del sys.modules[name]
    return run, orders


# The file of the report and its key must not stand in a frame that the program could walk to.
run, orders = main()
del main
run(orders)
