#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Start-up of the window to its first paint, against virt-manager and gnome-boxes, with 0 and with 1,000 machines.

All programs are measured alike and from outside: a virtual X server keeps its screen in a file; the time runs from
just before the program is started until the screen shows a window with content (rows of it have changed and hold at
least 12 colours). The programs take turns; the ratio of each round is to the faster peer of that round. Memory is
the proportional set size (PSS) of the program's own process three seconds after its first paint.

  benchmarks/startup_benchmark.py --vitrine build/release/bin/vitrine [--rounds 7] [--json FILE]

Needs xvfb, dbus-daemon, virt-manager and gnome-boxes. Run it as an ordinary user, or as root with --user NAME, so
that libvirt's session daemon of gnome-boxes starts by itself. Exits with 1 when a target is missed.
"""
import argparse
import json
import mmap
import os
import pwd
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1366, 900
TARGET_RATIO = 0.4
TARGET_PSS = 60 * 1024 * 1024
PATIENCE = 60.0

CONFIG = """{
  "version": 1, "os": "linux", "arch": "amd64", "cpuCountMin": 1, "cpuCount": 2,
  "memorySizeMin": 536870912, "memorySize": 1073741824, "macAddress": "02:00:00:%02x:%02x:%02x",
  "display": { "width": 1024, "height": 768 }
}
"""


class Screen:
    """A virtual X server whose screen is a file."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "screen")
        os.makedirs(self.folder)
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp",
             "-fbdir", self.folder], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        self.display = ":" + os.read(read, 16).decode().strip()
        os.close(read)
        path = os.path.join(self.folder, "Xvfb_screen0")
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        header = int.from_bytes(self.memory[0:4], "big")
        fields = [int.from_bytes(self.memory[i:i + 4], "big") for i in range(0, 100, 4)]
        self.stride = fields[12]
        self.offset = header + fields[19] * 12  # the pixels follow the head and the colour map

    def row(self, y):
        start = self.offset + y * self.stride
        return self.memory[start:start + WIDTH * 4]

    def rows(self):
        return [self.row(y) for y in range(0, HEIGHT, 8)]

    def is_painted(self, empty):
        changed = [now for y, before in zip(range(0, HEIGHT, 8), empty) if (now := self.row(y)) != before]
        if len(changed) < 24:
            return False
        colours = set()
        for row in changed:
            colours.update(row[i:i + 4] for i in range(0, len(row), 12))
            if len(colours) >= 12:
                return True
        return False

    def close(self):
        self.memory.close()
        self.process.terminate()
        self.process.wait()


def pss(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def stop(process):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(5)
            break
        except subprocess.TimeoutExpired:
            continue


def measure(screen, command, environment, user):
    """Seconds to the first paint, PSS in bytes."""
    empty = screen.rows()
    options = {}
    if user is not None:
        options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    began = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True, **options)
    try:
        while not screen.is_painted(empty):
            if time.monotonic() - began > PATIENCE or process.poll() is not None:
                raise RuntimeError(f"{command[0]} showed no window")
            time.sleep(0.001)
        seconds = time.monotonic() - began
        time.sleep(3)
        memory = pss(process.pid)
    finally:
        stop(process)
    deadline = time.monotonic() + 10
    while screen.rows() != empty and time.monotonic() < deadline:
        time.sleep(0.02)
    return seconds, memory


def make_vitrine_library(folder, count):
    machines = os.path.join(folder, "vms")
    os.makedirs(machines, exist_ok=True)
    for i in range(count):
        directory = os.path.join(machines, f"machine-{i:04}")
        os.makedirs(directory)
        with open(os.path.join(directory, "config.json"), "w") as file:
            file.write(CONFIG % (i >> 16, i >> 8 & 255, i & 255))
        with open(os.path.join(directory, "disk.img"), "w") as file:
            file.truncate(20_000_000_000)
        open(os.path.join(directory, "nvram.bin"), "w").close()


def domain(kind, name, extra=""):
    return (f"<domain type='{kind}'><name>{name}</name><memory unit='MiB'>1024</memory><vcpu>2</vcpu>"
            f"<os><type arch='x86_64'>hvm</type></os>{extra}</domain>")


def make_virt_manager_driver(path, count):
    """libvirt's test driver: a node with that many stopped machines."""
    with open(path, "w") as file:
        file.write("<node>" + "".join(
            domain("test", f"machine-{i:04}", "<test:runstate xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>5"
                   "</test:runstate>") for i in range(count)) + "</node>")


def make_boxes_machines(home, count):
    folder = os.path.join(home, ".config", "libvirt", "qemu")
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        with open(os.path.join(folder, f"machine-{i:04}.xml"), "w") as file:
            file.write(domain("qemu", f"machine-{i:04}"))


def give(folder, user):
    if user is not None:
        for root, names, files in os.walk(folder):
            for name in [root] + [os.path.join(root, file) for file in files]:
                os.chown(name, user.pw_uid, user.pw_gid)


class Bus:
    def __init__(self, environment, user):
        options = {}
        if user is not None:
            options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.process = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=environment, **options)
        self.address = self.process.stdout.readline().strip()

    def close(self):
        self.process.terminate()
        self.process.wait()


def run(arguments, folder, count, user):
    home = os.path.join(folder, f"home-{count}")
    library = os.path.join(folder, f"library-{count}")
    driver = os.path.join(folder, f"driver-{count}.xml")
    runtime = os.path.join(folder, f"runtime-{count}")
    os.makedirs(runtime, mode=0o700)
    make_vitrine_library(library, count)
    make_virt_manager_driver(driver, count)
    make_boxes_machines(home, count)
    give(folder, user)
    screen = Screen(os.path.join(folder, f"x-{count}"))
    environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_RUNTIME_DIR": runtime, "DISPLAY": screen.display,
                   "LANG": "C.UTF-8"}
    bus = Bus(environment, user)
    environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user is not None else {}
    # No tutorial in the way.
    subprocess.run(["gsettings", "set", "org.gnome.boxes", "first-run", "false"], env=environment, check=False, **options)
    commands = {"vitrine": [arguments.vitrine, "--library", library],
                "virt-manager": ["virt-manager", "--no-fork", "-c", f"test://{driver}"],
                "gnome-boxes": ["gnome-boxes"]}
    times = {name: [] for name in commands}
    memory = {name: [] for name in commands}
    try:
        for number in range(arguments.rounds + 1):  # the first round warms the page cache
            for name, command in commands.items():
                seconds, bytes_used = measure(screen, command, environment, user)
                if number > 0:
                    times[name].append(seconds)
                    memory[name].append(bytes_used or 0)
                print(f"  {'warm-up' if number == 0 else number:>7}  {name:13} {seconds * 1000:7.0f} ms "
                      f"{(bytes_used or 0) / 1048576:6.1f} MiB", flush=True)
    finally:
        bus.close()
        screen.close()
    ratios = [mine / min(a, b) for mine, a, b in
              zip(times["vitrine"], times["virt-manager"], times["gnome-boxes"])]
    return {"machines": count,
            "ratio": statistics.median(ratios), "ratios": ratios,
            "milliseconds": {name: statistics.median(values) * 1000 for name, values in times.items()},
            "pss_mib": {name: statistics.median(values) / 1048576 for name, values in memory.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitrine", default="build/release/bin/vitrine")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--machines", type=int, nargs="*", default=[0, 1000])
    parser.add_argument("--user", help="run the programs as this user (when started by root)")
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    arguments.vitrine = os.path.abspath(arguments.vitrine)
    for program in ("Xvfb", "dbus-daemon", "virt-manager", "gnome-boxes"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed.")
    user = pwd.getpwnam(arguments.user) if arguments.user else None
    results = []
    with tempfile.TemporaryDirectory(prefix="vitrine-startup-") as folder:
        os.chmod(folder, 0o755)
        for count in arguments.machines:
            print(f"{count} machines", flush=True)
            results.append(run(arguments, folder, count, user))
    good = True
    for result in results:
        print(f"\n{result['machines']} machines")
        for name, milliseconds in result["milliseconds"].items():
            print(f"  {name:13} {milliseconds:7.0f} ms   PSS {result['pss_mib'][name]:6.1f} MiB")
        fits = result["ratio"] <= TARGET_RATIO and result["pss_mib"]["vitrine"] * 1048576 <= TARGET_PSS
        good = good and fits
        print(f"  ratio to the faster peer, median of {arguments.rounds}: {result['ratio']:.2f} "
              f"(target {TARGET_RATIO}); {'met' if fits else 'MISSED'}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=2)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
