#!/usr/bin/env python3
"""check_order.py DRYWARP: racing_blocks.cu gives the same results, counts and times on every run, with any number of workers."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OF_THE_HOST = {"host_seconds", "start_seconds"}


def without_the_host(value):
    if isinstance(value, dict):
        return {k: without_the_host(v) for k, v in value.items() if k not in OF_THE_HOST}
    return [without_the_host(v) for v in value] if isinstance(value, list) else value


def differences(a, b, place=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(a.keys() | b.keys()) for d in differences(a.get(k), b.get(k), f"{place}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{place}/{i}")]
    return [] if a == b else [f"{place}: {a} and {b}"]


def run(drywarp, folder, workers, time):
    report = os.path.join(folder, "report.json")
    done = subprocess.run([drywarp, "profile", "--workers", str(workers), "--time", time, "--format", "json", "--output", report,
                           os.path.join(HERE, "racing_blocks.cu")], capture_output=True, text=True, timeout=280)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        profile = json.load(file)
    return {"output": done.stdout.splitlines(), "kernels": without_the_host(profile["kernels"]),
            "launches": without_the_host(profile["launches"])}


def main():
    drywarp = sys.argv[1]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DRYWARP_CACHE_DIR"] = os.path.join(folder, "cache")
        for time in ("auto", "off"):
            wanted = run(drywarp, folder, 1, time)
            if len(wanted["output"]) != 6 or len(wanted["launches"]) < 10:
                sys.exit(f"the program did not run as it should: {wanted['output']}")
            for workers in (2, 4):
                for again in range(5):
                    found = differences(wanted, run(drywarp, folder, workers, time))
                    failed |= bool(found)
                    for line in found[:5]:
                        print(f"1 and {workers} workers, run {again}, times {time}: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
