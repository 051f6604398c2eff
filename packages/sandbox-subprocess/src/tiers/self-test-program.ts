// What the self-test tries inside a tier: everything that the tier promises to prevent, on canaries of our own.

/** What the program is told, as JSON in its first argument. */
export interface SelfTestQuestion {
  /** Of a server of the host on 127.0.0.1. */
  readonly port: number
  /** Of a server of the host that has a name in the file system. */
  readonly socketPath: string
  /** Of a file that everybody may read. */
  readonly filePath: string
  /** Of a process of the sandbox's own user. */
  readonly canaryPid: number
  /** Stands in that process's variables. */
  readonly secret: string
  /** The limit of processes that it runs under. */
  readonly processes: number
}

/** Name of the pipe that what outlives the program would hold. */
export const LEFTOVER_PIPE = 'leftover'

/** Python source; every attempt is bounded, also where nothing stands in its way. */
export const SELF_TEST_PROGRAM = `
import json, os, signal, socket, sys, time

question = json.loads(sys.argv[1])


def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(1)
        one.connect(address)


def kill_canary():
    # In a namespace of its own it may have this very number.
    if question['canaryPid'] in (os.getpid(), os.getppid()):
        raise OSError('that is one of us')
    os.kill(question['canaryPid'], signal.SIGKILL)


def sees_secret():
    try:
        names = os.listdir('/proc')
    except OSError:
        return False
    for name in names:
        try:
            with open('/proc/' + name + '/environ', 'rb') as block:
                if question['secret'].encode() in block.read():
                    return True
        except OSError:
            pass
    return False


def count_forks():
    out_of, into = os.pipe()
    children = []
    try:
        for _ in range(question['processes'] + 8):
            child = os.fork()
            if child == 0:
                os.close(into)
                os.read(out_of, 1)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    os.close(into)
    for child in children:
        os.waitpid(child, 0)
    return len(children)


def leave_something():
    """A process in a session of its own, which holds nothing of this one but a pipe in the workspace."""
    os.mkfifo('${LEFTOVER_PIPE}')
    out_of, into = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        for name in ('SIGHUP', 'SIGINT', 'SIGTERM'):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        os.open('${LEFTOVER_PIPE}', os.O_RDONLY | os.O_NONBLOCK)
        os.close(1)
        os.close(2)
        os.write(into, b'.')
        time.sleep(30)
        os._exit(0)
    os.close(into)
    return os.read(out_of, 1) == b'.'


answer = {
    'connect': refused(lambda: connect(socket.AF_INET, ('127.0.0.1', question['port']))),
    'connectByName': refused(lambda: connect(socket.AF_UNIX, question['socketPath'])),
    'read': refused(lambda: open(question['filePath']).close()),
    'kill': refused(kill_canary),
    'environment': not sees_secret(),
    'forks': count_forks(),
    'leftover': leave_something(),
}
sys.stdout.write(json.dumps(answer))
`
