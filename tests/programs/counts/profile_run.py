"""Runs a program under `drywarp profile --format json` and compares its launches with a list of expectations."""

import json
import os
import re
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples")


def profile(drywarp, source, arguments):
    """The program's standard output and its launches in order, without times."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [drywarp, "profile", "--time", "off", "--format", "json", "--output", report, source, "--", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report, encoding="utf-8") as file:
            return done.stdout, json.load(file)["launches"]


def short_name(name):
    """"void copy<float>(float*, int)" -> "copy<float>"."""
    name = re.sub(r"^void ", "", name)
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            return name[:i]
    return name


def near(got, want):
    if isinstance(want, float):
        return abs(got - want) <= 1e-6 * max(1.0, abs(want))
    return got == want


class Expected:
    """One launch: its kernel and the expected metrics. Metrics that are left out are not compared."""

    def __init__(self, kernel, metrics, grid=None, block=None):
        self.kernel, self.metrics, self.grid, self.block = kernel, metrics, grid, block


def extent(value):
    if isinstance(value, dict):
        return tuple(value[k] for k in "xyz")
    return tuple(value)


def check(program, launches, expected):
    """Prints each difference and returns their number. There may be more launches than expectations."""
    wrong = 0
    if len(launches) < len(expected):
        names = ", ".join(short_name(launch["name"]) for launch in launches)
        print(f"{program}: {len(launches)} launches, expected {len(expected)}: {names}")
        return 1
    for number, (launch, want) in enumerate(zip(launches, expected)):
        where = f"{program}: launch {number} {short_name(launch['name'])}"
        if short_name(launch["name"]) != want.kernel:
            print(f"{where}: expected kernel {want.kernel}")
            wrong += 1
            continue
        for key, shape in (("grid", want.grid), ("block", want.block)):
            if shape is not None and extent(launch[key]) != shape:
                print(f"{where}: {key} is {launch[key]}, expected {shape}")
                wrong += 1
        for name, value in want.metrics.items():
            entry = launch["metrics"].get(name)
            if entry is None or entry.get("value") is None:
                print(f"{where}: {name} is missing, expected {value}")
                wrong += 1
            elif not near(entry["value"], value):
                print(f"{where}: {name} is {entry['value']}, expected {value}")
                wrong += 1
    return wrong
