# SPDX-License-Identifier: MIT
# What `site` would do at start, as far as programs notice, without the quarter it adds to the start of
# an interpreter: the distribution's packages can be imported, exit() and quit() exist. Then the code
# runs as __main__ under its own name, so that tracebacks show its lines and begin with its frames.
# Before any of that, while nothing of the code has been read, the version goes to descriptor 3.
# stdout is flushed at every line: what was printed before a run is killed is not lost.
def start():
    import sys, builtins, posix
    posix.write(3, ('%d.%d.%d' % sys.version_info[:3]).encode())
    posix.close(3)
    path = sys.argv[1]
    sys.argv[:] = [path]
    version = 'python%d.%d' % sys.version_info[:2]
    sys.path += ['/usr/local/lib/' + version + '/dist-packages',
                 '/usr/local/lib/' + version + '/site-packages',
                 '/usr/lib/python3/dist-packages',
                 '/usr/lib/' + version + '/site-packages']
    def leave(code=None):
        raise SystemExit(code)
    builtins.exit = builtins.quit = leave
    def hook(kind, value, trace):
        while trace and trace.tb_frame.f_code.co_filename == '<string>':
            trace = trace.tb_next
        value.__traceback__ = trace
        sys.__excepthook__(kind, value, trace)
    sys.excepthook = hook
    sys.stdout.reconfigure(line_buffering=True)
    with open(path, 'rb') as f:
        code = f.read()
    names = globals()
    names['__file__'] = path
    exec(compile(code, path, 'exec', dont_inherit=True), names)
globals().pop('start')()
