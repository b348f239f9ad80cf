# Runs a program in a pseudo-terminal: pseudo-terminal.py ROWS COLUMNS PROGRAM ARGUMENT...
# Standard input has one JSON object a line: {"send": TEXT}, {"resize": [ROWS, COLUMNS]} or {"signal": NUMBER}.
# Standard output has what the program writes. Standard error has the end: {"status": N, "restored": BOOLEAN}.
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def start(terminal, arguments):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        for descriptor in (0, 1, 2):
            os.dup2(terminal, descriptor)
        os.execvp(arguments[0], arguments)
    return pid


def obey(line, master, pid):
    order = json.loads(line)
    if "send" in order:
        os.write(master, order["send"].encode())
    if "resize" in order:
        resize(master, *order["resize"])
    if "signal" in order:
        os.kill(pid, order["signal"])


def copy(master, seconds):
    readable, _, _ = select.select([master], [], [], seconds)
    if readable:
        os.write(1, os.read(master, 65536))
    return bool(readable)


def main():
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    master, terminal = pty.openpty()
    resize(master, rows, columns)
    before = termios.tcgetattr(terminal)
    pid = start(terminal, sys.argv[3:])
    orders = b""
    inputs = [0]
    while True:
        copy(master, 0.02)
        if select.select(inputs, [], [], 0)[0]:
            piece = os.read(0, 65536)
            if not piece:
                inputs = []
            orders += piece
            *lines, orders = orders.split(b"\n")
            for line in lines:
                obey(line, master, pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
    while copy(master, 0):
        pass
    restored = termios.tcgetattr(terminal) == before
    print(json.dumps({"status": os.waitstatus_to_exitcode(status), "restored": restored}), file=sys.stderr)


main()
