#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time of a viewer for one update while a guest scrolls text: ours against vncviewer.

    console_benchmark.py VIEWER [--guest DIR] [--seconds N] [--rounds N] [--limit R]

VIEWER is the program console_viewer; DIR is what packaging/sample-guest/build.sh made. Both viewers
show the same guest, one after the other, in turn, on an Xvfb of their own, at one pixel for one. A
bridge between viewer and QEMU counts the requests for updates (QEMU answers each once). Needs
qemu-system-x86_64, Xvfb and vncviewer (packages qemu-system-x86, xvfb, tigervnc-viewer).
Exit code 1 when the median ratio is above the limit.
"""
import argparse
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SCROLL = (
    "sudo setterm --blank 0 --powerdown 0 > /dev/tty1 2>/dev/null; "
    "sudo sh -c 'dmesg > /tmp/text; while :; do while read -r line; do echo \"$line\"; done < /tmp/text;"
    " done > /dev/tty1' &\n"
)


class Bridge:
    """Passes bytes between one viewer and QEMU and counts what the viewer asks for."""

    def __init__(self, path, target):
        self.path, self.target = path, target
        self.requests = 0
        self.received = 0
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen(4)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            viewer, _ = self.server.accept()
            qemu = socket.socket(socket.AF_UNIX)
            qemu.connect(self.target)
            threading.Thread(target=self._down, args=(qemu, viewer), daemon=True).start()
            threading.Thread(target=self._up, args=(viewer, qemu), daemon=True).start()

    def _down(self, qemu, viewer):
        buffer = bytearray(1 << 20)
        view = memoryview(buffer)
        try:
            while count := qemu.recv_into(buffer):
                self.received += count
                viewer.sendall(view[:count])
        except OSError:
            pass
        self._close(qemu, viewer)

    def _up(self, viewer, qemu):
        pending = bytearray()
        greeting = 12 + 1 + 1  # version, security type, ClientInit
        try:
            while data := viewer.recv(65536):
                qemu.sendall(data)
                pending += data
                if greeting:
                    part = min(greeting, len(pending))
                    greeting -= part
                    del pending[:part]
                while pending:
                    kind = pending[0]
                    length = {0: 20, 3: 10, 4: 8, 5: 6, 150: 10, 255: 12}.get(kind)
                    if kind == 2:
                        length = 4 + 4 * int.from_bytes(pending[2:4], "big") if len(pending) >= 4 else 4
                    elif kind == 6:
                        text = int.from_bytes(pending[4:8], "big", signed=True) if len(pending) >= 8 else 0
                        length = 8 + abs(text)
                    elif kind == 248:
                        length = 9 + (pending[8] if len(pending) >= 9 else 0)
                    elif kind == 251:
                        length = 8 + 16 * (pending[6] if len(pending) >= 7 else 0)
                    if length is None:
                        raise RuntimeError(f"the viewer sent message {kind}, which is not known here")
                    if len(pending) < length:
                        break
                    if kind == 3:
                        self.requests += 1
                    del pending[:length]
        except OSError:
            pass
        self._close(qemu, viewer)

    @staticmethod
    def _close(*sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Serial:
    """The guest's serial line: always drained, with text to wait for."""

    def __init__(self, path):
        self.text = b""
        self.socket = socket.socket(socket.AF_UNIX)
        wait(lambda: self._try(path), 30, "the guest's serial line")
        threading.Thread(target=self._drain, daemon=True).start()

    def _try(self, path):
        try:
            self.socket.connect(path)
            return True
        except OSError:
            return False

    def _drain(self):
        while data := self.socket.recv(65536):
            self.text += data

    def expect(self, words, seconds):
        wait(lambda: words in self.text, seconds, f"'{words.decode()}' from the guest")
        self.text = self.text.split(words, 1)[1]

    def send(self, text):
        self.socket.sendall(text.encode())


def wait(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"console benchmark: gave up waiting for {what}")
        time.sleep(0.05)


def cpu_nanoseconds(pid):
    """User and system time of all threads that the process has now."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total


def start_guest(folder, guest):
    boot, machine = guest / "boot", guest / "machine"
    command = (boot / "cmdline").read_text().strip()
    arguments = [
        "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-accel", "tcg,thread=multi",
        "-machine", "q35", "-cpu", "max", "-m", "512", "-smp", "1",
        "-kernel", str(boot / "vmlinux"), "-initrd", str(boot / "initrd"), "-append", command,
        "-drive", f"if=none,id=d0,file={machine / 'disk.img'},format=raw,snapshot=on",
        "-device", "virtio-blk-pci,drive=d0", "-device", "virtio-vga",
        "-chardev", f"socket,id=s0,path={folder}/serial.sock,server=on,wait=off", "-serial", "chardev:s0",
        "-display", "none", "-vnc", f"unix:{folder}/vnc.sock",
    ]
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL)


def start_display(folder):
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
        pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        return server, ":" + number.readline().strip()


def measure(name, arguments, bridge, display, seconds):
    environment = dict(os.environ, DISPLAY=display, QT_QPA_PLATFORM="xcb")
    environment.pop("WAYLAND_DISPLAY", None)
    before = bridge.requests
    viewer = subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: bridge.requests - before > 30, 60, f"30 updates of {name}")
        requests, received = bridge.requests, bridge.received
        cpu, start = cpu_nanoseconds(viewer.pid), time.monotonic()
        time.sleep(seconds)
        cpu = cpu_nanoseconds(viewer.pid) - cpu
        elapsed = time.monotonic() - start
        updates = bridge.requests - requests
        received = bridge.received - received
    finally:
        viewer.terminate()
        viewer.wait()
    if updates < 10:
        sys.exit(f"console benchmark: {name} made only {updates} updates")
    each = cpu / updates / 1e6
    print(f"  {name:10} {each:7.3f} ms CPU per update   {updates / elapsed:5.1f} updates/s   "
          f"{received / updates / 1e3:8.0f} kB each   {cpu / elapsed / 1e7:5.1f} % of a CPU", flush=True)
    return each


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("viewer", type=pathlib.Path)
    parser.add_argument("--guest", type=pathlib.Path, default=root / "build/sample-guest/amd64")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=1.0)
    options = parser.parse_args()
    for program in ("qemu-system-x86_64", "Xvfb", "vncviewer"):
        if not shutil.which(program):
            sys.exit(f"console benchmark: {program} is not installed")
    children = []
    with tempfile.TemporaryDirectory(prefix="vitrine-console-") as folder:
        try:
            guest = start_guest(folder, options.guest)
            children.append(guest)
            server, display = start_display(folder)
            children.append(server)
            serial = Serial(f"{folder}/serial.sock")
            serial.expect(b"login:", 240)
            serial.send("admin\n")
            serial.expect(b"assword:", 60)
            serial.send("admin\n")
            serial.expect(b"$", 60)
            serial.send(SCROLL)
            bridge = Bridge(f"{folder}/bridge.sock", f"{folder}/vnc.sock")
            ours = [str(options.viewer), bridge.path, "natural"]
            theirs = ["vncviewer", "-Shared", "-RemoteResize=0", "-Log", "*:stderr:0", bridge.path]
            ratios = []
            for number in range(1, options.rounds + 1):
                print(f"round {number}", flush=True)
                a = measure("vitrine", ours, bridge, display, options.seconds)
                b = measure("vncviewer", theirs, bridge, display, options.seconds)
                ratios.append(a / b)
                print(f"  ratio {a / b:.2f}", flush=True)
            median = statistics.median(ratios)
            print(f"median ratio {median:.2f} (limit {options.limit:.2f}, "
                  f"from {min(ratios):.2f} to {max(ratios):.2f})")
            return 0 if median <= options.limit else 1
        finally:
            for child in reversed(children):
                child.terminate()
                child.wait()


if __name__ == "__main__":
    sys.exit(main())
