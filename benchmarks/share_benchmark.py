#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time from the command that shares a folder with a running guest until it is mounted there and proved.

    share_benchmark.py VITRINECTL [--guest DIR] [--folders N] [--limit MS]

DIR is what packaging/sample-guest/build.sh made; its guest boots once, by its kernel. Each folder is shared by
`vitrinectl share … add`, which ends when the guest has read the probe file, and taken away again. The first one also
loads the guest's driver and is told apart. Needs qemu-system-x86_64 and virtiofsd (package qemu-system-common).
Exit code 1 when the median is above the limit.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vitrinectl", type=pathlib.Path)
    parser.add_argument("--guest", type=pathlib.Path, default=pathlib.Path("build/sample-guest/amd64"))
    parser.add_argument("--folders", type=int, default=11)
    parser.add_argument("--limit", type=float, default=1000, help="milliseconds")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        environment = dict(os.environ, VITRINE_HOME=str(place / "library"), HOME=scratch)
        machine = place / "library" / "vms" / "guest"
        machine.mkdir(parents=True)
        for part in ("config.json", "nvram.bin"):
            shutil.copy(options.guest / "machine" / part, machine / part)
        subprocess.run(["cp", "--sparse=always", options.guest / "machine" / "disk.img", machine], check=True)
        boot = options.guest.resolve() / "boot"

        def vitrinectl(*words):
            return subprocess.run([options.vitrinectl, *words], env=environment, capture_output=True, text=True)

        run = subprocess.Popen(
            [options.vitrinectl, "run", "guest", "--no-graphics", "--kernel", boot / "vmlinux", "--initrd", boot / "initrd",
             "--kernel-args", (boot / "cmdline").read_text().strip()],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 180
            while vitrinectl("exec", "guest", "true").returncode != 0:
                if run.poll() is not None or time.monotonic() > deadline:
                    sys.exit("The guest did not become ready.")
                time.sleep(0.5)
            taken = []
            for number in range(options.folders):
                folder = place / f"folder{number}"
                folder.mkdir()
                began = time.monotonic()
                added = vitrinectl("share", "guest", "add", str(folder))
                taken.append((time.monotonic() - began) * 1000)
                if added.returncode != 0:
                    sys.exit(added.stderr)
                seen = vitrinectl("exec", "guest", "grep", "-c", f"/mnt/vitrine/folder{number} ", "/proc/mounts")
                if seen.stdout.strip() != "1":
                    sys.exit(f"folder{number} is not mounted in the guest.")
                removed = vitrinectl("share", "guest", "remove", f"folder{number}")
                if removed.returncode != 0:
                    sys.exit(removed.stderr)
        finally:
            vitrinectl("stop", "guest", "--timeout", "1")
            run.wait(timeout=60)

    median = statistics.median(taken[1:])
    print("ms:", " ".join(f"{value:.0f}" for value in taken))
    print(f"the first {taken[0]:.0f} ms, median of the others {median:.0f} ms, largest {max(taken[1:]):.0f} ms")
    return 0 if median <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
