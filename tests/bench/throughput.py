#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""throughput.py KPORT [CASES [LIMIT]]: the engine on cases of the benchmark, without boot: cases an hour with two workers, two against one, memory of a worker.

The caches of kernels and indexes are the caller's (warm); those of compilers, semantic patches and grades are new for each run, so nothing is answered
from memory. Bars: 300 cases an hour, 1.7 times, 1.5 GiB. What two processors can do for such work at all is measured beside it: two
copies of one compiler's work at once against one. On a machine that others use only the CPU time and the memory mean something. A bar that is missed is said; the exit code is 1 for missing results only."""
import glob, json, os, resource, shutil, subprocess, sys, tempfile, threading, time

kport = os.path.realpath(sys.argv[1])
limit = sys.argv[3] if len(sys.argv) > 3 else "12"
choice = (["-c", os.path.realpath(sys.argv[2])] if len(sys.argv) > 2 and sys.argv[2] else ["--pair", "6.1:6.12"]) + ["--limit", limit]
cache = os.environ.get("KPORT_CACHE_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kport")
work = tempfile.mkdtemp()


def processes():
    """pid -> (parent, resident bytes, command line)"""
    out = {}
    for d in glob.glob("/proc/[0-9]*"):
        try:
            stat = open(d + "/stat").read().rsplit(")", 1)[1].split()
            out[int(d[6:])] = (int(stat[1]), int(stat[21]) * os.sysconf("SC_PAGE_SIZE"), open(d + "/cmdline", "rb").read().split(b"\0"))
        except (OSError, IndexError):
            pass
    return out


def watch(root, peak, stop):
    """Largest sum of a worker and all below it; pages that they share count for each, so it is an upper bound."""
    while not stop.wait(0.2):
        all_ = processes()
        below = {}
        for pid, (parent, _, _) in all_.items():
            below.setdefault(parent, []).append(pid)

        def total(pid):
            return all_[pid][1] + sum(total(p) for p in below.get(pid, []))
        for pid in below.get(root, []):
            if b"work" in all_[pid][2]:
                peak[0] = max(peak[0], total(pid))


def cpu():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(name, jobs):
    home = os.path.join(work, name)
    os.makedirs(home + "/cache")
    for d in ("kernels", "index", "packages"):
        if os.path.isdir(os.path.join(cache, d)):
            os.symlink(os.path.join(cache, d), home + "/cache/" + d)
    peak, stop, begin, used = [0], threading.Event(), time.monotonic(), cpu()
    p = subprocess.Popen([kport, "bench", "run", "--out", home + "/run", "--jobs", str(jobs), "--quiet"] + choice,
                         env=dict(os.environ, KPORT_CACHE_HOME=home + "/cache"), stdout=subprocess.PIPE, text=True)
    t = threading.Thread(target=watch, args=(p.pid, peak, stop))
    t.start()
    said = p.communicate()[0].strip()
    wall = time.monotonic() - begin
    stop.set()
    t.join()
    done = [json.load(open(f)) for f in glob.glob(home + "/run/results/*.json")]
    good = [r for r in done if r["status"] != "infra"]
    print("%d worker%s: %s, %.1f s" % (jobs, "" if jobs == 1 else "s", said, wall), flush=True)
    if p.returncode or not good or len(good) != len(done):
        print("throughput: not all cases have a result")
        sys.exit(1)
    return len(good), wall, peak[0], cpu() - used


def copies(n):
    """Wall seconds of n independent compilers that do the same work."""
    src = os.path.join(work, "w.c")
    with open(src, "w") as f:
        for i in range(400):
            f.write("int f%d(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { s += p[i] * %d; if (s & 1) s ^= p[n - i - 1]; } return s; }\n" % (i, i))
    begin = time.monotonic()
    for p in [subprocess.Popen(["gcc", "-O2", "-c", src, "-o", os.path.join(work, "w%d.o" % i)]) for i in range(n)]:
        p.wait()
    return time.monotonic() - begin


def bar(what, value, unit, ok, target):
    print("%-46s %8.2f %-12s target %s%s" % (what, value, unit, target, "" if ok else ": MISSED"))


try:
    one = min(copies(1) for _ in range(3))
    ideal = 2 * one / min(copies(2) for _ in range(3))
    n, t1, m1, c1 = run("one", 1)
    n, t2, m2, c2 = run("two", 2)
    again = 2 * one / min(copies(2) for _ in range(3))
    print("load %.1f, %d processors, %d cases" % (os.getloadavg()[0], os.cpu_count(), n))
    bar("engine, two workers, without boot", n * 3600 / t2, "cases/hour", n * 3600 / t2 >= 300, "300")
    bar("two workers against one", t1 / t2, "times", t1 / t2 >= 1.7, "1.7")
    bar("  two copies of gcc against one (the ideal here)", max(ideal, again), "times", True, "-")
    bar("CPU of a case, one worker", c1 / n, "seconds", True, "-")
    bar("largest worker with all below it", max(m1, m2) / 2**30, "GiB", max(m1, m2) < 1.5 * 2**30, "1.5")
finally:
    shutil.rmtree(work, ignore_errors=True)
