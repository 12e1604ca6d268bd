#!/usr/bin/env python3
"""What each tool of `drywarp check` costs: user time and peak memory as multiples of `drywarp profile --time off`, which counts, of the
same program, start included. Programs and kernels are compiled before. --markdown writes the table of docs/check.md."""
import argparse
import math
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ["memcheck", "synccheck", "initcheck", "racecheck"]
# Examples at their own sizes, and one at a small size, too.
PROGRAMS = [
    ("examples/vector_add.cu", []),
    ("examples/matmul.cu", ["128"]),
    ("examples/matmul.cu", []),
    ("examples/transpose.cu", []),
    ("examples/reduction.cu", []),
    ("examples/histogram.cu", []),
    ("examples/access_patterns.cu", []),
    ("examples/banks.cu", []),
    ("examples/divergence.cu", []),
    ("examples/occupancy.cu", []),
]


def cost(command, runs):
    """The least user seconds of `runs`, and the peak memory in MB of the largest process."""
    seconds, megabytes = [], []
    for _ in range(runs):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:  # resource usage of children is of all of them: count in a process of its own
            null = subprocess.DEVNULL
            done = subprocess.run(command, stdout=null, stderr=null, check=False, cwd=ROOT)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            os.write(write, f"{done.returncode} {usage.ru_utime} {usage.ru_maxrss / 1024}".encode())
            os._exit(0)
        os.close(write)
        code, used, peak = os.read(read, 200).decode().split()
        os.close(read)
        os.waitpid(child, 0)
        if int(code) not in (0, 123):
            sys.exit(f"{' '.join(command)}: exit code {code}")
        seconds.append(float(used))
        megabytes.append(float(peak))
    return min(seconds), max(megabytes)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def number(ratio):
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drywarp", required=True, help="the program")
    parser.add_argument("--runs", type=int, default=3, help="of each; the fastest counts")
    parser.add_argument("--only", help="programs whose name contains this")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for source, arguments in PROGRAMS:
        if options.only and options.only not in source:
            continue
        rest = [source] + (["--"] + arguments if arguments else [])
        counting = [options.drywarp, "profile", "--time", "off"] + rest
        cost(counting, 1)  # compiles
        base = cost(counting, options.runs)
        row = [(base, 1.0, 1.0)]
        for tool in TOOLS:
            checking = [options.drywarp, "check", "--tool", tool] + rest
            cost(checking, 1)  # compiles the code that reports
            seconds, megabytes = cost(checking, options.runs)
            row.append(((seconds, megabytes), seconds / base[0], megabytes / base[1]))
        rows.append((" ".join([os.path.basename(source)] + arguments), row))
        if not options.markdown:
            print(f"{rows[-1][0]:<24} {base[0]:6.2f} s {base[1]:6.0f} MB  " + "  ".join(
                f"{tool} {number(r[1]):>5} ({number(r[2])})" for tool, r in zip(TOOLS, row[1:])), flush=True)
    means = [(mean([row[i + 1][1] for _, row in rows]), mean([row[i + 1][2] for _, row in rows]),
              max(row[i + 1][2] for _, row in rows)) for i in range(len(TOOLS))]
    if options.markdown:
        print("| program | " + " | ".join(TOOLS) + " |\n|---|" + "---|" * len(TOOLS))
        for name, row in rows:
            print(f"| `{name}` | " + " | ".join(number(r[1]) for r in row[1:]) + " |")
        print("| geometric mean | " + " | ".join(f"**{number(m[0])}**" for m in means) + " |")
        print("| peak memory, at most | " + " | ".join(number(m[2]) for m in means) + " |")
    else:
        print(f"{'geometric mean':<43} " + "  ".join(f"{tool} {number(m[0]):>5} ({number(m[1])})" for tool, m in zip(TOOLS, means)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
