#!/usr/bin/env python3
"""Runs the speed benchmarks and prints their tables.

    speed.py --build FOLDER [--filter REGEX] [--workers 1,2] [--skip kernels,timing,start,memory] [--json FILE]

1. kernels: million warp instructions a second, counters on and off, 1 and 2 workers, and geometric means; the same algorithm as plain C++
   on one core
2. timing: million warp instructions (of the GPU's machine code) a second that the timing model simulates on one core, compared with the
   counting mode; the cost of recording a launch, and memory
3. start: seconds for a whole command, for small problems (nearly all of it is before the first kernel) and for a vector add of 2^20
   elements: cold; with caches; with caches but new times; with caches and without counters; 1 and 2 workers
4. memory: peak resident memory beyond the program's own allocations
"""

import argparse
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLES = os.path.join(ROOT, "examples")
PROGRAMS = ("banks", "histogram", "vector_add", "transpose", "matmul", "reduction", "access_patterns", "divergence")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--filter", default=".")
    p.add_argument("--workers", default="1,2")
    p.add_argument("--skip", default="")
    p.add_argument("--json", help="write every figure there")
    return p.parse_args()


def tool(args, name):
    return os.path.join(args.build, "bin", name)


def geometric_mean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def google_benchmark(command):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([*command, f"--benchmark_out={out.name}", "--benchmark_out_format=json"], check=True, stdout=subprocess.DEVNULL)
        return json.load(out)["benchmarks"]


def compile_examples(args, folder):
    for program in PROGRAMS:
        subprocess.run([tool(args, "drywarp"), "nvcc", "-ptx", "-O3", "-std=c++17", os.path.join(EXAMPLES, program + ".cu"), "-o",
                        os.path.join(folder, program + ".ptx")], check=True)


def kernels(args):
    with tempfile.TemporaryDirectory() as folder:
        compile_examples(args, folder)
        measured = google_benchmark([tool(args, "engine_speed"), f"--ptx_folder={folder}", f"--code_cache={os.path.join(folder, 'code')}", f"--workers={args.workers}",
                                     f"--benchmark_filter={args.filter}"])
    plain = {b["name"].removeprefix("plain/"): b["real_time"] for b in google_benchmark([tool(args, "plain_cpp")])}

    table, failed = {}, []
    for b in measured:
        found = re.match(r"(.+)/counters:(on|off)/workers:(\d+)/", b["name"])
        name, counters, workers = found.groups()
        if b.get("error_occurred"):
            failed.append((b["name"], b["error_message"]))
            continue
        entry = table.setdefault(name, {"warp_instructions": b["warp_instructions"], "compile_ms": b["compile_ms"], "cached_ms": b["cached_ms"], "speed": {}, "ms": {}})
        entry["speed"][f"{counters}{workers}"] = b["Mwi/s"]
        entry["ms"][f"{counters}{workers}"] = b["real_time"]

    columns = [f"{c}{w}" for w in args.workers.split(",") for c in ("on", "off")]
    print("Million warp instructions a second (PTX instructions; all workers together), by counters and workers")
    print(f"{'kernel':38} {'Mwi':>8} " + " ".join(f"{c[:-1] + ' x' + c[-1]:>9}" for c in columns) + f" {'compile':>9} {'cached':>8} {'plain C++':>10} {'ratio':>7}")
    for name, e in table.items():
        cells = " ".join(f"{e['speed'].get(c, float('nan')):9.1f}" for c in columns)
        ours, theirs = e["ms"].get("on1"), plain.get(name)
        beside = f"{theirs:8.2f}ms {ours / theirs:6.1f}x" if ours and theirs else ""
        print(f"{name:38} {e['warp_instructions'] / 1e6:8.2f} {cells} {e['compile_ms']:7.0f}ms {e['cached_ms']:6.1f}ms {beside}")
    means = {c: geometric_mean([e["speed"].get(c, 0) for e in table.values()]) for c in columns}
    print(f"{'geometric mean':38} {'':8} " + " ".join(f"{means[c]:9.1f}" for c in columns))
    if "on1" in means and "on2" in means:
        print(f"two workers against one, counters on: {means['on2'] / means['on1']:.2f}x; counters cost "
              f"{100 * (1 - means['on1'] / means['off1']):.0f} %")
    for name, message in failed:
        print(f"FAILED {name}: {message}")
    return {"kernels": table, "plain_ms": plain, "geometric_mean": means, "failed": failed}


def timing(args):
    with tempfile.TemporaryDirectory() as folder:
        compile_examples(args, folder)
        simulated = google_benchmark([tool(args, "timing_speed"), f"--ptx_folder={folder}", "--repeats=3", f"--benchmark_filter={args.filter}"])
        counted = google_benchmark([tool(args, "engine_speed"), f"--ptx_folder={folder}", "--workers=1", f"--benchmark_filter=({args.filter}).*counters:on"])
    counting = {b["name"].split("/counters:")[0]: b.get("Mwi/s", 0) for b in counted}
    table = {}
    print("Million warp instructions a second, one worker: simulated (the GPU's instructions, the fastest of 3), counted (PTX instructions)")
    print(f"{'kernel':38} {'simulated Mwi':>13} {'blocks':>7} {'timing':>8} {'counting':>9} {'record':>9} {'trace':>9} {'peak':>8}")
    for b in simulated:
        name = b["name"].split("/iterations:")[0]
        if b.get("error_occurred"):
            print(f"FAILED {name}: {b['error_message']}")
            continue
        table[name] = {"speed": b["Mwi/s"], "counting": counting.get(name, 0), "record_ms": b["record_ms"], "trace_MB": b["trace_MB"], "peak_MB": b["peak_MB"]}
        print(f"{name:38} {b['warp_instructions'] / 1e6:13.2f} {b['blocks']:7.0f} {b['Mwi/s']:8.2f} {counting.get(name, 0):9.1f} "
              f"{b['record_ms']:7.0f}ms {b['trace_MB']:7.1f}MB {b['peak_MB']:6.0f}MB")
    means = {c: geometric_mean([e[c] for e in table.values()]) for c in ("speed", "counting")}
    print(f"{'geometric mean':38} {'':13} {'':7} {means['speed']:8.2f} {means['counting']:9.1f}")
    return {"kernels": table, "geometric_mean": means}


def timed(command, environment):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_maxrss * 1024, process.returncode


def fresh_environment(folder):
    return {**os.environ, "DRYWARP_CACHE_DIR": folder}


def start(args):
    """Wall time of whole commands."""
    cases = [("vector_add", ["1000"]), ("vector_add", [str(1 << 20)]), ("transpose", ["64"]), ("matmul", ["128"]), ("reduction", ["13"]), ("histogram", ["12"])]
    out = {}
    print(f"{'seconds, best of 3':28} {'cold':>7} {'warm':>7} {'times anew':>11} {'no counters':>12} {'2 workers':>10}")
    for program, program_arguments in cases:
        source = os.path.join(EXAMPLES, program + ".cu")
        best = {}

        def measure(what, options, environment):
            command = [tool(args, "drywarp"), "profile", *options, source, "--", *program_arguments]
            seconds, _, code = timed(command, environment)
            if code != 0:
                sys.exit(f"speed: {' '.join(command)} ended with {code}")
            best[what] = min(best.get(what, seconds), seconds)

        for _ in range(3):
            folder = tempfile.mkdtemp()
            environment = fresh_environment(folder)
            one, two = ["--workers", "1"], ["--workers", "2"]
            measure("cold", one, environment)
            measure("warm", one, environment)
            for kept in glob.glob(os.path.join(folder, "kernels", "*.time")):
                os.remove(kept)
            measure("times anew", one, environment)
            measure("no counters", ["--no-counters", *one], environment)  # compiles code without counters
            measure("no counters warm", ["--no-counters", *one], environment)
            measure("2 workers", two, environment)
            shutil.rmtree(folder)
        out[' '.join([program, *program_arguments])] = best
        print(f"{program + ' ' + ' '.join(program_arguments):28} {best['cold']:7.2f} {best['warm']:7.2f} {best['times anew']:11.2f} {best['no counters warm']:12.2f} {best['2 workers']:10.2f}")
    return out


def memory(args):
    print(f"{'program':34} {'device':>9} {'host':>9} {'peak':>9} {'beside':>9}")
    out = {}
    # Each program's own allocations, from its source: bytes on the device and on the host.
    cases = [("vector_add", [str(1 << 24)], 3 * 4 << 24, 3 * 4 << 24), ("transpose", ["4096"], 2 * 8 << 24, 2 * 8 << 24),
             ("reduction", ["25"], 2 * 4 << 25, 4 << 25)]
    folder = tempfile.mkdtemp()
    for program, program_arguments, device, host in cases:
        command = [tool(args, "drywarp"), "profile", os.path.join(EXAMPLES, program + ".cu"), "--", *program_arguments]
        _, peak, code = timed(command, fresh_environment(folder))
        mega = 1 << 20
        print(f"{program + ' ' + ' '.join(program_arguments):34} {device / mega:7.0f}MB {host / mega:7.0f}MB {peak / mega:7.0f}MB "
              f"{(peak - device - host) / mega:7.0f}MB" + ("" if code == 0 else f"  exit code {code}"))
        out[program] = {"device": device, "host": host, "peak": peak}
    shutil.rmtree(folder)
    return out


def main():
    args = arguments()
    figures = {}
    for name, part in (("kernels", kernels), ("timing", timing), ("start", start), ("memory", memory)):
        if name not in args.skip.split(","):
            figures[name] = part(args)
            print()
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
