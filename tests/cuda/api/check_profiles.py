#!/usr/bin/env python3
"""check_profiles.py DRYWARP TEST: checks the launches in the profile of profiled.cu: all of them, counted or not, in the program's order
and with its numbers."""

import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).with_name("profiled.cu")
NAMES = ["even(int*)", "odd(int*)"] * 10


def profile(*options, how=""):
    command = [sys.argv[1], "profile", "--format", "json", *options, str(SOURCE), "--", how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    report = json.loads(done.stdout)
    launches = report["launches"]
    # --kernel shows only what it names, with the numbers that launches have in the whole run.
    wanted = re.compile(options[options.index("--kernel") + 1] if "--kernel" in options else "")
    shown = [(i, name) for i, name in enumerate(NAMES) if wanted.search(name)]
    assert [(launch["index"], launch["name"]) for launch in launches] == shown, launches
    for launch in launches:
        stores = launch["metrics"]["gst_transactions"]["value"]
        assert stores == (4 if launch["counted"] else None), launch
    return report


def refused(options, hint):
    """A filter that matches nothing: the program runs, and there is no report."""
    done = subprocess.run([sys.argv[1], "profile", *options, str(SOURCE)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 125 and hint in done.stderr and not done.stdout, done


def counted(report):
    return [launch["index"] for launch in report["launches"] if launch["counted"]]


def ranges():
    report = profile(how="ranges")
    found = [launch["range"] for launch in report["launches"]]
    assert found == ["all/first half"] * 10 + ["all/second half"] * 10, found


def profiler_calls():
    assert counted(profile(how="profiler_calls")) == [8, 9, 10, 11]


def skip_and_count():
    assert counted(profile()) == list(range(20))
    assert counted(profile("--launch-skip", "7", "--launch-count", "3")) == [7, 8, 9]
    assert counted(profile("--launch-skip", "18")) == [18, 19]
    refused(["--launch-skip", "100"], "the program has 20 launches")
    refused(["--launch-skip", "10", "--kernel", "odd"], "the program has 10 matching launches")
    assert counted(profile("--launch-count", "1")) == [0]
    # Of the matching launches.
    report = profile("--kernel", "^odd", "--launch-skip", "2", "--launch-count", "2")
    assert counted(report) == [5, 7]
    kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
    assert (kernels["odd(int*)"]["calls"], kernels["odd(int*)"]["counted"]) == (10, 2), kernels
    assert list(kernels) == ["odd(int*)"], kernels
    assert kernels["odd(int*)"]["totals"]["gst_transactions"]["value"] == 8, kernels["odd(int*)"]["totals"]
    # Launches outside cudaProfilerStart/Stop have no number.
    assert counted(profile("--launch-skip", "1", "--launch-count", "2", how="profiler_calls")) == [9, 10]


def kernel_filter():
    assert counted(profile("--kernel", "even")) == list(range(0, 20, 2))
    assert counted(profile("--kernel", "e.e|od")) == list(range(20))
    refused(["--kernel", "odde"], "launched: odd, even")
    refused(["--kernel", "eben"], "launched: even, odd")


def registers():
    report = profile()
    for launch in report["launches"]:
        assert 4 <= launch["registers"] <= 64, launch["registers"]
        metric = launch["metrics"]["launch__registers_per_thread"]
        assert metric["value"] == launch["registers"] and metric["class"] == "modelled", metric
    assert [launch["shared"] for launch in report["launches"][:2]] == [0, 512]
    assert (report["launches"][1]["static_shared"], report["launches"][1]["dynamic_shared"]) == (256, 256)
    done = subprocess.run([sys.argv[1], "profile", "--details", str(SOURCE)], capture_output=True, text=True, timeout=100)
    assert f"~{report['launches'][1]['registers']} registers a thread (estimate)" in done.stdout, done.stdout
    assert "256 B static shared" in " ".join(done.stdout.split()), done.stdout


if __name__ == "__main__":
    {f.__name__: f for f in (ranges, profiler_calls, skip_and_count, kernel_filter, registers)}[sys.argv[2]]()
