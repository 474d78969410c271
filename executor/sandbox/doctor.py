# SPDX-License-Identifier: MIT
# Runs in a sandbox and tries its walls. A line for each: name, whether it holds, what was seen; tabs between.
import ctypes, errno, os, socket, stat

libc = ctypes.CDLL(None, use_errno=True)


def say(name, holds, found):
    print(name, 'holds' if holds else 'fails', found, sep='\t')


def errno_of(call, *arguments):
    """The name of the error; 'done' when there was none."""
    try:
        call(*arguments)
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e.errno))
    return 'done'


def syscall(number, *arguments):
    ctypes.set_errno(0)
    if libc.syscall(number, *arguments) >= 0:
        return 'done'
    return errno.errorcode.get(ctypes.get_errno(), '?')


def network():
    names = [line.split(':')[0].strip() for line in open('/proc/self/net/dev').read().splitlines()[2:]]
    if names != ['lo']:
        say('network', False, 'interfaces ' + ' '.join(names) + '; no address was tried')
        return
    seen = []
    for address in ('169.254.169.254', '192.0.2.1'):
        s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        s.settimeout(5)
        seen.append(errno_of(s.connect, (address, 80)))
    say('network', set(seen) == {'ENETUNREACH'}, 'no interface but its own loopback; 169.254.169.254: ' + seen[0])


def files():
    seen = {path: errno_of(lambda p: open(p, 'w').close(), path)
            for path in ('/x', '/usr/x', '/etc/x', '/dev/x', '/proc/x', '/code/x')}
    say('root', all(e in ('EROFS', 'EACCES', 'EPERM', 'ENOENT') for e in seen.values()),
        'writing: ' + ' '.join(f'{path} {e}' for path, e in seen.items()))
    there = [path for path in ('/root', '/home', '/var', '/run', '/sys', '/boot', '/etc/shadow') if os.path.lexists(path)]
    say('host files', not there, 'none of /root /home /var /run /sys /etc/shadow' if not there else 'there: ' + ' '.join(there))
    odd = sorted(set(os.listdir('/dev')) - {'null', 'zero', 'full', 'random', 'urandom', 'fd', 'stdin', 'stdout', 'stderr',
                                            'shm', 'ptmx', 'pts', 'tty'})
    say('devices', not odd, 'null zero full random urandom' if not odd else 'also ' + ' '.join(odd))
    with open('/tmp/x', 'w') as f:
        f.write('#!/usr/bin/sh\n')
    os.chmod('/tmp/x', 0o755)
    seen = errno_of(os.execv, '/tmp/x', ['x'])
    say('writable space', seen == 'EACCES', '/work /tmp /dev/shm; executing what was written: ' + seen)


def processes():
    seen = sorted(int(name) for name in os.listdir('/proc') if name.isdigit())
    say('host processes', len(seen) <= 2 and os.getppid() <= 1, f'{len(seen)} processes to be seen, the run\'s own')
    said = dict(line.split(':\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\t' in line)
    caps = {said[name] for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')}
    say('privileges', caps == {'0' * 16} and said['NoNewPrivs'] == '1', 'no capabilities, no-new-privileges ' + said['NoNewPrivs'])
    say('system calls', said['Seccomp'] == '2', 'seccomp filter' if said['Seccomp'] == '2' else 'no seccomp filter')
    odd = sorted(set(os.environ) - {'PATH', 'HOME', 'TMPDIR', 'USER', 'LANG', 'LC_CTYPE'})
    say('environment', not odd, 'PATH HOME TMPDIR USER LANG' if not odd else 'also ' + ' '.join(odd))
    seen = []
    for fd in range(1024):
        try:
            os.fstat(fd)
            seen.append(fd)
        except OSError:
            pass
    say('descriptors', seen == [0, 1, 2], 'open: ' + ' '.join(map(str, seen)))
    say('terminal', errno_of(os.open, '/dev/tty', os.O_RDWR) != 'done', 'none')


def calls():
    # Numbers of x86-64 and of the table that other architectures share.
    x86 = os.uname().machine == 'x86_64'
    numbers = {'unshare': (272, 97), 'mount': (165, 40), 'ptrace': (101, 117), 'bpf': (321, 280), 'keyctl': (250, 219),
               'io_uring_setup': (425, 425), 'perf_event_open': (298, 241), 'userfaultfd': (323, 282),
               'open_by_handle_at': (304, 265)}
    seen = {name: syscall(pair[0 if x86 else 1], 0x10000000, 0, 0, 0, 0) for name, pair in numbers.items()}
    done = [name for name, e in seen.items() if e not in ('EPERM', 'ENOSYS')]
    say('kernel machinery', not done, ' '.join(seen) + ': refused' if not done else 'not refused: ' + ' '.join(done))
    abi = libc.syscall(444, None, 0, 1)
    print('landlock', 'holds' if abi >= 1 else 'absent', f'version {abi}' if abi >= 1 else 'this kernel has none', sep='\t')


for wall in network, files, processes, calls:
    wall()
