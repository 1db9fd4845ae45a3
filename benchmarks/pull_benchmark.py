#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pull of an image from a registry on loopback, against skopeo and cp.

Makes a machine whose disk is 6 GiB with 5 GiB of data, pushes it into Debian's docker-registry and
then, in turn, copies the image with `skopeo copy` to a dir: (which fetches and hashes the compressed
bytes only), pulls it with Vitrine, and copies the disk with `cp --sparse=always`. Every copy is
followed by fsync of all its files inside the measured time. Prints medians and whether they keep to
the limits; the exit code says so too.

    cmake --preset release -DBUILD_BENCHMARKS=ON
    cmake --build --preset release --target vitrinectl push_image make_disk
    benchmarks/pull_benchmark.py build/release/bin

Needs docker-registry and skopeo, 25 GB of disk, and a machine that does nothing else.
"""
import argparse
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

LIMITS = {"skopeo": 0.6, "cp": 2.0}
PEAK_MEMORY = 200 * 1024  # KiB
EXTRA_ALLOCATION = 1.01


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_registry(work):
    port = free_port()
    config = os.path.join(work, "registry.yml")
    with open(config, "w") as f:
        f.write(
            "version: 0.1\n"
            "log: {level: error, accesslog: {disabled: true}}\n"
            f"storage: {{filesystem: {{rootdirectory: {work}/registry}}}}\n"
            f"http: {{addr: '127.0.0.1:{port}'}}\n"
        )
    process = subprocess.Popen(
        ["docker-registry", "serve", config],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return process, f"127.0.0.1:{port}"
        time.sleep(0.05)
    sys.exit("docker-registry does not start")


def fsync_all(path):
    """fsync of a file, or of every file and folder below a folder."""
    paths = [path]
    if os.path.isdir(path):
        for folder, _, files in os.walk(path):
            paths += [folder] + [os.path.join(folder, f) for f in files]
    for each in paths:
        if os.path.islink(each):
            continue
        fd = os.open(each, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)


class Run:
    def __init__(self, command, result, environment=None):
        os.sync()
        start = time.monotonic()
        with tempfile.TemporaryFile() as words:
            process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=words,
                env={**os.environ, **(environment or {})},
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                words.seek(0)
                sys.stderr.write(words.read().decode(errors="replace"))
                sys.exit(f"{command[0]} failed with {process.returncode}")
        fsync_all(result)
        self.seconds = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss


def allocated(path):
    return os.stat(path).st_blocks * 512


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def measure(args, work):
    bin_dir = os.path.abspath(args.bin)
    machine = os.path.join(work, "machine")
    disk = os.path.join(machine, "disk.img")
    print(f"making a disk of {args.disk} MiB with {args.data} MiB of data", flush=True)
    subprocess.run(
        [f"{bin_dir}/vitrine-make-disk", machine, str(args.disk), str(args.data)], check=True
    )
    registry, host = start_registry(work)
    try:
        reference = f"{host}/benchmark/disk:latest"
        subprocess.run([f"{bin_dir}/vitrine-push-image", machine, reference], check=True)
        blobs = sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(os.path.join(work, "registry"))
            for name in names
        )
        print(f"{blobs / 2**20:.0f} MiB compressed", flush=True)

        home = os.path.join(work, "home")
        skopeo_dir = os.path.join(work, "skopeo")
        copy = os.path.join(work, "copy.img")
        steps = {
            "skopeo": lambda: Run(
                ["skopeo", "copy", "--quiet", "--src-tls-verify=false", f"docker://{reference}",
                 f"dir:{skopeo_dir}"],
                skopeo_dir,
            ),
            "pull": lambda: Run(
                [f"{bin_dir}/vitrinectl", "pull", "--insecure", reference],
                os.path.join(home, "cache"),
                {"VITRINE_HOME": home},
            ),
            "cp": lambda: Run(["cp", "--sparse=always", disk, copy], copy),
        }
        results = {name: [] for name in steps}
        extra = 1.0
        for number in range(args.runs):
            for name, step in steps.items():
                run = step()
                results[name].append(run)
                print(
                    f"{number + 1}  {name:7} {run.seconds:6.2f} s  cpu {run.cpu:6.2f} s  "
                    f"peak {run.peak / 1024:5.0f} MiB",
                    flush=True,
                )
                if name == "pull":
                    pulled = os.path.join(
                        home, "cache/OCIs", host.replace(":", "%3A"), "benchmark/disk/latest/disk.img"
                    )
                    extra = max(extra, allocated(pulled) / allocated(disk))
                    if number == 0:
                        subprocess.run(["cmp", disk, pulled], check=True)
                for path in (home, skopeo_dir, copy):
                    remove(path)
        return report(results, extra)
    finally:
        registry.send_signal(signal.SIGTERM)
        registry.wait()


def report(results, extra):
    median = {name: statistics.median(r.seconds for r in runs) for name, runs in results.items()}
    peak = max(r.peak for r in results["pull"])
    good = True
    print(f"\nmedians of {len(results['pull'])}: " +
          ", ".join(f"{name} {value:.2f} s" for name, value in median.items()))
    for other, limit in LIMITS.items():
        ratio = statistics.median(
            ours.seconds / theirs.seconds for ours, theirs in zip(results["pull"], results[other]))
        good &= ratio <= limit
        print(f"pull / {other}: {ratio:.2f} (limit {limit})  {'ok' if ratio <= limit else 'MISSED'}")
    good &= peak <= PEAK_MEMORY and extra <= EXTRA_ALLOCATION
    print(f"peak memory {peak / 1024:.0f} MiB (limit {PEAK_MEMORY / 1024:.0f})  "
          f"{'ok' if peak <= PEAK_MEMORY else 'MISSED'}")
    print(f"allocated {(extra - 1) * 100:+.2f} % against the source (limit +1)  "
          f"{'ok' if extra <= EXTRA_ALLOCATION else 'MISSED'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="folder with vitrinectl, vitrine-push-image, vitrine-make-disk")
    parser.add_argument("--work", help="folder on the file system to measure (default: TMPDIR)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--disk", type=int, default=6144, metavar="MIB")
    parser.add_argument("--data", type=int, default=5120, metavar="MIB")
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="vitrine-pull-", dir=args.work) as work:
        sys.exit(0 if measure(args, work) else 1)


if __name__ == "__main__":
    main()
