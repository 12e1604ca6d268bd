#!/usr/bin/env python3
"""check_reconvergence.py DRYWARP: kernels of reconvergence.cu execute their instructions with as many lanes as on an H200. By nvcc's code there; lanes an
instruction depend little on the compiler, but where sides of a branch do not meet, they are half or a tenth."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Nsight Compute's smsp__thread_inst_executed_per_inst_executed.ratio on an H200, nvcc 13, 2026-11-29
LANES = {"early": 19.83, "breaks": 7.43, "inside": 9.43, "returns": 9.32, "nested": 9.92, "ors": 26.60}
METRIC = "smsp__thread_inst_executed_per_inst_executed.ratio"


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run([sys.argv[1], "profile", "--format", "json", "--output", report, os.path.join(HERE, "reconvergence.cu")],
                              capture_output=True, text=True, timeout=280, env={**os.environ, "DRYWARP_CACHE_DIR": os.path.join(folder, "cache")})
        if done.returncode != 0:
            sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report, encoding="utf-8") as file:
            kernels = json.load(file)["kernels"]
    ours = {k["name"].split("(")[0]: k["totals"][METRIC]["avg"] for k in kernels}
    failed = set(ours) != set(LANES)
    for name, wanted in LANES.items():
        found = ours.get(name, 0)
        bad = abs(found / wanted - 1) > 0.2
        failed |= bad
        print(f"{name}: {found:.2f} lanes an instruction, {wanted:.2f} on an H200{' <- more than 20 % apart' if bad else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
