"""How a child process takes signals, whatever the process that started the tests does with them."""

import signal


def usual() -> None:
    """Take signals as a command on a terminal does: for `preexec_fn`.

    A child inherits what its parent ignores or blocks, as under `nohup`, or behind `&` in a script.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
