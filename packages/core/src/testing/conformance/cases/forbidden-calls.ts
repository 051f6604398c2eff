// System calls that no allow-list for programs has, each called so that it would do nothing.

/**
 * Prints, as JSON, each call that was not refused, with its answer. EPERM, ENOSYS, EACCES and EAFNOSUPPORT are how a
 * filter refuses; EINVAL or EFAULT come from a kernel that was asked.
 */
export const FORBIDDEN_CALLS = `
import ctypes, errno, json, platform, socket
NUMBERS = {
    # name: (x86_64, aarch64, arguments that no kernel accepts)
    "keyctl": (250, 219, (9999, 0, 0, 0, 0)),
    "add_key": (248, 217, (0, 0, 0, 0, 0)),
    "io_uring_setup": (425, 425, (0, 0)),
    "userfaultfd": (323, 282, (-1,)),
    "bpf": (321, 280, (9999, 0, 0)),
    "perf_event_open": (298, 241, (0, 0, -1, -1, 0)),
    "ptrace": (101, 117, (9999, 0, 0, 0)),
    "process_vm_readv": (310, 270, (0, 0, 0, 0, 0, 9999)),
    "unshare": (272, 97, (0x10000000,)),
    "mount": (165, 40, (0, 0, 0, 0, 0)),
    "kexec_load": (246, 104, (0, 0, 0, 9999)),
    "open_by_handle_at": (304, 265, (-1, 0, 0)),
}
REFUSED = {errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EAFNOSUPPORT}
column = {"x86_64": 0, "aarch64": 1}.get(platform.machine())
answered = {}
libc = ctypes.CDLL(None, use_errno=True)
if column is not None:
    for name, entry in NUMBERS.items():
        ctypes.set_errno(0)
        result = libc.syscall(entry[column], *map(ctypes.c_long, entry[2]))
        code = ctypes.get_errno()
        if result != -1 or code not in REFUSED: answered[name] = errno.errorcode.get(code, result)
for name, family in ("vsock", 40), ("packet", 17), ("alg", 38), ("bluetooth", 31):
    try:
        socket.socket(family, socket.SOCK_STREAM if family == 40 else socket.SOCK_RAW).close()
        answered[name] = "opened"
    except OSError as error:
        if error.errno not in REFUSED | {errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT}: answered[name] = str(error)
print(json.dumps(answered))`
