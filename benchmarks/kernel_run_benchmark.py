#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One command on a given kernel with this computer's root file system, against QEMU's bare command line doing the same.

    kernel_run_benchmark.py VITRINECTL [--kernel FILE] [--modules DIR] [--rounds 10] [--limit 1.15] [--json FILE]

Both run `echo test`, emulated (TCG), with the root file system read-only over 9P or virtiofs under an overlay in memory.
The time runs from the start of the program to its end. The bare command line gets a first file system that was made
beforehand and is as small as it can be: busybox, the same modules, a script that mounts, runs the command on the serial
line and powers off; for virtiofs the time has the start of virtiofsd. The two take turns, who is first changes, and the
ratio is of each round. Kernel and modules are the sample guest's unless others are named. virtiofs is measured as root only:
the bare virtiofsd does not share this computer's root as an ordinary user. Exits with 1 when the median ratio of a way is
above the limit.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

INIT = """#!/bin/busybox sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do insmod $module; done
MOUNT
mount -t tmpfs upper /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /new
mount --move /dev /new/dev
mount --move /proc /new/proc
chroot /new /bin/sh -c 'echo test' > /dev/console
poweroff -f
"""
MOUNTS = {
    "9p": "mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose root /lower",
    "virtiofs": "mount -t virtiofs -o ro root /lower",
}
WANTED = {"9p": ["9p", "9pnet_virtio"], "virtiofs": ["virtiofs"]}
VIRTIOFSD = "/usr/lib/qemu/virtiofsd"


def module_files(folder, names):
    """Paths in loading order."""
    needs = {}
    with open(os.path.join(folder, "modules.dep")) as file:
        for line in file:
            path, _, others = line.partition(":")
            needs[os.path.basename(path).split(".")[0].replace("-", "_")] = (path, others.split())
    order = []
    for name in names:
        if name not in needs:
            continue  # built in
        path, others = needs[name]
        for one in [*reversed(others), path]:
            if one not in order:
                order.append(one)
    return [os.path.join(folder, one) for one in order]


def make_initramfs(path, work, folder, way):
    tree = os.path.join(work, "tree-" + way)
    for name in ("bin", "dev", "proc", "sys", "lower", "upper", "new", "modules"):
        os.makedirs(os.path.join(tree, name))
    shutil.copy(shutil.which("busybox"), os.path.join(tree, "bin/busybox"))
    for name in ("sh", "mount", "insmod", "mkdir", "chroot", "poweroff"):
        os.symlink("busybox", os.path.join(tree, "bin", name))
    files = module_files(folder, ["virtio_pci", *WANTED[way], "overlay"])
    for number, file in enumerate(files):
        if not file.endswith(".ko"):
            sys.exit(f"the bare command line takes plain modules only: {file}")
        shutil.copy(file, os.path.join(tree, "modules", f"{number:03}.ko"))
    init = os.path.join(tree, "init")
    with open(init, "w") as file:
        file.write(INIT.replace("MOUNT", MOUNTS[way]))
    os.chmod(init, 0o755)
    names = subprocess.run(["find", "."], cwd=tree, check=True, stdout=subprocess.PIPE).stdout
    with open(path, "wb") as file:
        subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=tree, check=True, input=names, stdout=file)


class Bare:
    def __init__(self, work, kernel, modules, way):
        self.way = way
        self.work = work
        self.initramfs = os.path.join(work, way + ".cpio")
        make_initramfs(self.initramfs, work, modules, way)
        self.kernel = kernel
        self.number = 0

    def run(self):
        command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-accel", "tcg",
                   "-machine", "q35,memory-backend=mem", "-cpu", "max", "-m", "1024M",
                   "-object", "memory-backend-memfd,id=mem,share=on,size=1024M",
                   "-kernel", self.kernel, "-initrd", self.initramfs,
                   "-append", "console=ttyS0 quiet panic=-1 no_timer_check", "-serial", "stdio"]
        daemon = None
        began = time.monotonic()
        if self.way == "9p":
            command += ["-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
                        "-device", "virtio-9p-pci,fsdev=root,mount_tag=root"]
        else:
            self.number += 1
            socket = os.path.join(self.work, f"fs{self.number}")
            daemon = subprocess.Popen([VIRTIOFSD, "--socket-path=" + socket, "-o", "source=/", "-o", "cache=auto",
                                       "-o", "sandbox=chroot"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.exists(socket):
                time.sleep(0.001)
            command += ["-chardev", "socket,id=root,path=" + socket,
                        "-device", "vhost-user-fs-pci,chardev=root,tag=root,queue-size=1024"]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - began
        if daemon is not None:
            daemon.wait()
        if b"test" not in ended.stdout.split():
            sys.exit("the bare command line did not run the command:\n" + ended.stdout.decode(errors="replace"))
        return seconds


class Ours:
    def __init__(self, program, kernel, modules, way):
        self.command = [program, "kernel", "run", "-q", "-k", kernel, "--modules", modules, "--share", way,
                        "--accelerator", "tcg", "echo test"]

    def run(self):
        began = time.monotonic()
        ended = subprocess.run(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seconds = time.monotonic() - began
        if ended.returncode != 0 or ended.stdout != b"test\n":
            sys.exit("vitrinectl did not run the command:\n" + ended.stderr.decode(errors="replace"))
        return seconds


def text(values):
    return (f"{statistics.mean(values):.3f} s ± {statistics.stdev(values):.3f} s "
            f"({min(values):.3f} … {max(values):.3f})")


def main():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    guest = os.path.join(os.environ.get("VITRINE_SAMPLE_GUEST", os.path.join(here, "build/sample-guest")), "amd64")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrinectl")
    parser.add_argument("--kernel", default=os.path.join(guest, "boot/vmlinux"))
    parser.add_argument("--modules")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--limit", type=float, default=1.15)
    parser.add_argument("--json")
    options = parser.parse_args()
    if platform.machine() != "x86_64":
        sys.exit("the bare command line is for amd64")
    kernel = os.path.abspath(options.kernel)
    modules = options.modules
    if modules is None:
        modules = os.path.join(guest, "modules", os.listdir(os.path.join(guest, "modules"))[0])
    results = {}
    missed = False
    with tempfile.TemporaryDirectory(prefix="kernel-run-") as work:
        for way in ("9p", "virtiofs") if os.geteuid() == 0 else ("9p",):
            pair = [Bare(work, kernel, modules, way), Ours(os.path.abspath(options.vitrinectl), kernel, modules, way)]
            times = {pair[0]: [], pair[1]: []}
            for one in pair:
                one.run()  # what is read from the disk is in memory afterwards
            for number in range(options.rounds):
                for one in pair if number % 2 == 0 else reversed(pair):
                    times[one].append(one.run())
            bare, ours = times[pair[0]], times[pair[1]]
            ratio = statistics.median(mine / theirs for mine, theirs in zip(ours, bare))
            missed = missed or ratio > options.limit
            results[way] = {"bare_s": bare, "vitrine_s": ours, "ratio": ratio}
            print(f"{way}: bare {text(bare)}, kernel run {text(ours)}, median ratio {ratio:.3f} (limit {options.limit})",
                  flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
