#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Throughput of TCP between a guest and this computer: vitrine-softnet against QEMU's own NAT.

    softnet_benchmark.py HELPER [--guest DIR] [--seconds N] [--rounds N] [--mtu N]... [--accel A]

HELPER is the program vitrine-softnet; DIR is what packaging/sample-guest/build.sh made. One guest has
both networks at once, `-netdev user` and `-netdev dgram` to the helper, and iperf3 runs through one
after the other, each way, to a server on 127.0.0.1. The ratio of each round is ours by QEMU's; at an
MTU over 1500 QEMU's stays at 1500, as it has no other. Needs qemu-system-x86_64 and iperf3 (packages
qemu-system-x86, iperf3). Exit code 1 when a median ratio is below its limit.
"""
import argparse
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time

# Least median ratios: to the host, to the guest.
LIMITS = {1500: (0.9, 0.75), 9000: (1.4, 1.0)}
MAC = "02:00:00:00:00:01"
NETWORKS = {"user": ("10.0.3.15", "10.0.3.2"), "softnet": ("10.0.2.15", "10.0.2.2")}


def fail(text):
    sys.exit(f"softnet benchmark: {text}")


class Serial:
    """The guest's serial line: always drained, with text to wait for."""

    def __init__(self, stream):
        self.text = b""
        self.stream = stream
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        while data := self.stream.recv(65536):
            self.text += data

    def expect(self, words, seconds):
        """What came before the words."""
        end = time.monotonic() + seconds
        while words not in self.text:
            if time.monotonic() > end:
                fail(f"gave up waiting for '{words.decode()}' from the guest")
            time.sleep(0.05)
        before, self.text = self.text.split(words, 1)
        return before.decode(errors="replace")

    def run(self, command, seconds):
        # The echo of the line has no digit behind "end-".
        self.stream.sendall(f"{command}; echo end-$?\n".encode())
        while True:
            before = self.expect(b"end-", seconds)
            while not self.text:
                time.sleep(0.05)
            if self.text[:1].isdigit():
                return before

    def send(self, text):
        self.stream.sendall(text.encode())


def start_guest(guest, accelerator, serial, wire, mtu):
    boot, machine = guest / "boot", guest / "machine"
    command = (boot / "cmdline").read_text().strip()
    large = f",host_mtu={mtu}" if mtu != 1500 else ""
    return subprocess.Popen(
        ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-accel", accelerator,
         "-machine", "q35", "-cpu", "max", "-m", "512", "-smp", "1", "-display", "none",
         "-kernel", str(boot / "vmlinux"), "-initrd", str(boot / "initrd"), "-append", command,
         "-drive", f"if=none,id=d0,file={machine / 'disk.img'},format=raw,snapshot=on",
         "-device", "virtio-blk-pci,drive=d0",
         "-netdev", "user,id=n0,net=10.0.3.0/24", "-device", "virtio-net-pci,netdev=n0,mac=02:00:00:00:00:02,romfile=",
         "-netdev", f"dgram,id=n1,local.type=fd,local.str={wire}",
         "-device", f"virtio-net-pci,netdev=n1,mac={MAC},romfile={large}",
         "-chardev", f"socket,id=s0,fd={serial}", "-serial", "chardev:s0"],
        stdin=subprocess.DEVNULL, pass_fds=[serial, wire])


def start_helper(program, wire, mtu):
    arguments = [str(program), "--vm-fd", str(wire), "--vm-mac-address", MAC, "--allow", "@host", "--mtu", str(mtu)]
    if os.geteuid() == 0:
        arguments += ["--user", "nobody"]
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, pass_fds=[wire])


def cpu_seconds(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def transfer(serial, name, reverse, seconds):
    """Mbit/s that the receiver counted."""
    address, gateway = NETWORKS[name]
    text = serial.run(f"iperf3 -B {address} -c {gateway} -t {seconds} -f m{' -R' if reverse else ''}", seconds + 60)
    found = re.search(r"([\d.]+) Mbits/sec\s+receiver", text)
    if not found:
        fail(f"iperf3 said: {text}")
    return float(found[1])


def measure(options, mtu):
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    serial_ends = socket.socketpair()
    children = [start_guest(options.guest, options.accel, serial_ends[1].fileno(), ends[0].fileno(), mtu),
                start_helper(options.helper, ends[1].fileno(), mtu),
                subprocess.Popen(["iperf3", "-s", "-B", "127.0.0.1"], stdout=subprocess.DEVNULL)]
    ends[0].close()
    ends[1].close()
    serial_ends[1].close()
    helper = children[1]
    try:
        serial = Serial(serial_ends[0])
        serial.expect(b"login:", 400)
        serial.send("admin\n")
        serial.expect(b"assword:", 60)
        serial.send("admin\n")
        serial.expect(b"$", 60)
        # By hand, so that neither depends on what the guest's own set-up does with two networks.
        for device, name in (("eth0", "user"), ("eth1", "softnet")):
            size = mtu if name == "softnet" else 1500
            serial.run(f"sudo ip address flush dev {device}; sudo ip link set {device} mtu {size} up; "
                       f"sudo ip address add {NETWORKS[name][0]}/24 dev {device}", 60)
        ratios = ([], [])
        for number in range(1, options.rounds + 1):
            for reverse in (False, True):
                theirs = transfer(serial, "user", reverse, options.seconds)
                before = cpu_seconds(helper.pid)
                ours = transfer(serial, "softnet", reverse, options.seconds)
                gigabytes = ours * options.seconds / 8000
                cost = (cpu_seconds(helper.pid) - before) / max(gigabytes, 1e-9)
                ratios[reverse].append(ours / max(theirs, 1e-9))
                print(f"MTU {mtu} round {number} {'to the guest' if reverse else 'to the host ':12} "
                      f"ours {ours:7.0f} Mbit/s   QEMU's {theirs:7.0f} Mbit/s   ratio {ratios[reverse][-1]:.2f}   "
                      f"helper {cost:.1f} s of processor a GB", flush=True)
        print(f"MTU {mtu}: resident memory of the helper {resident(helper.pid)} KiB")
        good = True
        for direction, values, limit in zip(("host", "guest"), ratios, LIMITS.get(mtu, (0, 0))):
            median = statistics.median(values)
            good = good and median >= limit
            print(f"MTU {mtu}: median ratio to the {direction} {median:.2f} (limit {limit:.2f}, "
                  f"from {min(values):.2f} to {max(values):.2f})", flush=True)
        return good
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait()


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("helper", type=pathlib.Path)
    parser.add_argument("--guest", type=pathlib.Path, default=root / "build/sample-guest/amd64")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--accel", default="tcg,thread=multi")
    parser.add_argument("--mtu", type=int, action="append", help="1500 and 9000 if not given")
    options = parser.parse_args()
    for program in ("qemu-system-x86_64", "iperf3"):
        if not shutil.which(program):
            fail(f"{program} is not installed")
    results = [measure(options, mtu) for mtu in options.mtu or sorted(LIMITS)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
