"""Escapes from a sandbox as scripts: a successful one prints GOT or a secret, or writes EVIL to a file."""

from __future__ import annotations

from typing import NamedTuple

SECRET = "s3cret"  # noqa: S105
EVIL = "EVIL"
GOT = "GOT"


class Escape(NamedTuple):
    """An escape.

    Attributes:
        script: shell script with placeholders of :class:`tests.sandboxed.world.World`.
        mark: path of the file that contains EVIL after a success.
        tried: True if the escape is also tried without a sandbox, where it must succeed to prove the test.
    """

    script: str
    mark: str = ""
    tried: bool = True


def _python_script(code: str) -> str:
    return f"python3 - <<'END'\n{code}\nEND\n"


def _connect_script(family: str, address: str, kind: str = "SOCK_STREAM") -> str:
    return _python_script(
        f"import socket\ns = socket.socket(socket.{family}, socket.{kind})\ns.settimeout(3)\n"
        f"s.connect({address})\ns.type == socket.SOCK_DGRAM and s.send(b'x')\nprint(s.recv(99).decode())"
    )


def _syscall_script(words: str) -> str:
    """Return a script with a system call, which prints ``GOT`` on success."""
    return _python_script(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nlibc.syscall.restype = ctypes.c_long\n"
        f"print('{GOT}' if {words} >= 0 else ctypes.get_errno())"
    )


ESCAPES = {
    # What is to be read
    "a key in the home": Escape("cat {home}/.ssh/id"),
    "a key by the first process's root": Escape("cat /proc/1/root{home}/.ssh/id", tried=False),
    "a file of the checkout": Escape("cat {checkout}/.env"),
    "a file beside the common git folder": Escape("cat $(git rev-parse --git-common-dir)/../.env"),
    "a link of the tree that leads out": Escape("cat leads-out", tried=True),
    "a password in git's configuration": Escape("git config remote.origin.url; cat {git}/config"),
    "a file of another program in /tmp": Escape("cat {outside}/private"),
    "what was behind a place that shows nothing": Escape("umount {checkout}; cat {checkout}/.env"),
    "what only root may read": Escape(f"cat /etc/shadow /etc/gshadow | grep -q . && echo {GOT}"),
    "the disk": Escape(
        f"mknod disk b $(stat -c '0x%Hd 0x%Ld' /) && head -c 1 disk | wc -c | grep 1 && echo {GOT}",
        tried=False,
    ),
    "the kernel's log": Escape(_syscall_script("libc.syscall(103, 10, 0, 0)")),
    # Variables
    "a token in the environment": Escape("env"),
    "an agent's socket": Escape("echo $SSH_AUTH_SOCK"),
    "a token in the environment of what started it": Escape(
        "cat /proc/1/environ /proc/$PPID/environ; cat /proc/*/environ"
    ),
    "a token in another process's environment": Escape("cat /proc/{victim}/environ"),
    # What is to be written
    "the checkout": Escape("echo EVIL >{checkout}/a.py", "{checkout}/a.py"),
    "a new file of the checkout": Escape("echo EVIL >{checkout}/new.py", "{checkout}/new.py"),
    "a hook": Escape(
        "mkdir -p {git}/hooks; echo EVIL >{git}/hooks/post-checkout", "{git}/hooks/post-checkout"
    ),
    "git's configuration": Escape("git config scalpel.x EVIL", "{git}/config"),
    "a branch": Escape("git update-ref refs/heads/evil HEAD && echo GOT"),
    "packed refs": Escape(
        "echo '# pack-refs with: peeled fully-peeled sorted EVIL' >{git}/packed-refs", "{git}/packed-refs"
    ),
    "what is to be ignored": Escape("echo EVIL >>{git}/info/exclude", "{git}/info/exclude"),
    "the checkout's index": Escape("echo EVIL >{git}/index.evil", "{git}/index.evil"),
    "an object": Escape("echo EVIL >{git}/objects/evil", "{git}/objects/evil"),
    "the configuration of its own git folder": Escape(
        "echo '[x] y = EVIL' >$(git rev-parse --git-dir)/config.worktree", "{own}/config.worktree"
    ),
    "what is noted of its worktree": Escape(
        "echo EVIL >$(git rev-parse --git-dir)/scalpel.evil", "{own}/scalpel.evil"
    ),
    "what is remembered of gates": Escape(
        "mkdir -p {git}/scalpel/verdicts; echo EVIL >{git}/scalpel/verdicts/x", "{git}/scalpel/verdicts/x"
    ),
    "what is trusted": Escape(
        "mkdir -p {home}/git-scalpel; echo EVIL >{home}/git-scalpel/x", "{home}/git-scalpel/x"
    ),
    "what a shell starts": Escape("echo EVIL >>{home}/.profile", "{home}/.profile"),
    "a cache of the user's": Escape(
        "mkdir -p {home}/.cache/pip; echo EVIL >{home}/.cache/pip/x", "{home}/.cache/pip/x"
    ),
    "a folder that is shared": Escape(
        "echo EVIL >.venv/lib.py; echo EVIL >{checkout}/.venv/lib.py", "{checkout}/.venv/lib.py"
    ),
    "a program on PATH": Escape("echo EVIL >{tools}/bin/tool", "{tools}/bin/tool"),
    "the kernel's settings": Escape(
        "for f in vm/swappiness kernel/core_pattern; do "
        "cat /proc/sys/$f >same && cat same >/proc/sys/$f && echo GOT; done"
    ),
    "a place of the system": Escape("echo EVIL >/usr/evil-{token}", "/usr/evil-{token}"),
    "the lock of its worktree": Escape("ls -l /proc/$$/fd | grep lock && echo GOT"),
    # Other processes
    "killing another process": Escape("kill -9 {mortal} && echo GOT"),
    "tracing another process": Escape(_syscall_script("libc.ptrace(0x4206, {victim}, 0, 0)")),
    "seeing other processes": Escape("test -d /proc/{victim} && echo GOT"),
    "a session that stays": Escape("setsid sh -c 'exec sleep {token}1' >/dev/null 2>&1 &", tried=False),
    "a daemon that stays": Escape(
        _python_script(
            "import os, signal\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]\n"
            "        os.closerange(0, 99)\n        os.execvp('sleep', ['sleep', '{token}2'])\n    os._exit(0)"
        ),
        tried=False,
    ),
    # The network
    "a server of this machine": Escape(_connect_script("AF_INET", "('127.0.0.1', {port})")),
    "a server of this machine, by datagrams": Escape(
        _connect_script("AF_INET", "('127.0.0.1', {port})", "SOCK_DGRAM")
    ),
    "an abstract socket": Escape(_connect_script("AF_UNIX", "b'\\x00' + b'{token}'")),
    "a socket in a folder": Escape(_connect_script("AF_UNIX", "'{outside}/docker.sock'")),
    "a way to other machines": Escape("grep -qv '^Iface' /proc/net/route && echo GOT", tried=False),
    "the hypervisor": Escape(_python_script("import socket\nsocket.socket(40, 1)\nprint('GOT')")),
    # The kernel
    "name spaces of its own": Escape("unshare --user --map-root-user --mount true && echo GOT"),
    "keys of the session": Escape(_syscall_script("libc.syscall(250, 0, -3, 1, 0, 0)")),
    "an asynchronous ring": Escape(_syscall_script("libc.syscall(425, 1, ctypes.create_string_buffer(200))")),
    "a program in the kernel": Escape(
        _syscall_script(
            "libc.syscall(298, ctypes.create_string_buffer(b'\\1\\0\\0\\0\\x80' + bytes(123)), 0, -1, -1, 0)"
        ),
        tried=False,
    ),
    "input for a terminal": Escape(
        _python_script(
            "import fcntl, os, termios\na, b = os.openpty()\n"
            "if os.fork():\n    os._exit(os.wait()[1])\nos.setsid()\n"
            "fcntl.ioctl(b, termios.TIOCSCTTY, 0)\nfcntl.ioctl(b, termios.TIOCSTI, b'x')\nprint('GOT')"
        ),
        tried=False,
    ),
    "a terminal of the caller's": Escape("exec 3</dev/tty && echo GOT", tried=False),
}
