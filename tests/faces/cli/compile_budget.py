#!/usr/bin/env python3
"""compile_budget.py DRYWARP SOURCE_FOLDER [TEST...]: large kernels compile in proportion to their size, and count the same.

Times are processor time: this may run beside anything.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

import random_divergence

DRYWARP, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = None


def built(name, text):
    source, program = os.path.join(FOLDER, name + ".cu"), os.path.join(FOLDER, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([DRYWARP, "nvcc", "-o", program, source], check=True)
    return program


def seconds(program):
    """CPU time of a run that compiles every kernel."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run([DRYWARP, "run", program], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DRYWARP_CACHE_DIR": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def report(program, *options):
    """The profile without its date and host times."""
    file = os.path.join(FOLDER, "report.json")
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run([DRYWARP, "profile", "--format", "json", "--output", file, *options, program], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DRYWARP_CACHE_DIR": cache})
    with open(file, encoding="utf-8") as text:
        whole = json.load(text)

    def without_host_time(value):
        if isinstance(value, dict):
            return {k: without_host_time(v) for k, v in value.items() if k not in ("start_seconds", "host_seconds", "compile_seconds")}
        return [without_host_time(v) for v in value] if isinstance(value, list) else value
    return {part: without_host_time(whole[part]) for part in ("kernels", "launches", "timing")}


class Times(unittest.TestCase):
    def test_nested_divergence(self):
        self.assertLess(seconds(built("divergence", random_divergence.program(1, 15_000))), 20)

    def test_halves(self):
        with open(os.path.join(HERE, "half_operations.cu"), encoding="utf-8") as file:
            self.assertLess(seconds(built("halves", file.read())), 10)

    def test_beyond_the_budget_time_is_in_proportion_to_size(self):
        self.assertLess(seconds(built("large", random_divergence.program(2, 90_000))), 40)


class Counts(unittest.TestCase):
    def check(self, program):
        usual, beyond = report(program), report(program, "--quick-code")
        self.assertTrue(usual["launches"])
        for a, b in zip(usual["launches"], beyond["launches"], strict=True):
            self.assertEqual(a, b)
        self.assertEqual(usual, beyond)

    def test_examples(self):
        for name in ("divergence", "histogram", "transpose"):
            with self.subTest(name), open(os.path.join(SOURCES, "examples", name + ".cu"), encoding="utf-8") as file:
                self.check(built(name, file.read()))

    def test_random_divergence(self):
        for seed in (3, 5):
            with self.subTest(seed):
                self.check(built(f"random{seed}", random_divergence.program(seed, 4_000, nesting=6 + 2 * seed)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        os.environ["DRYWARP_CACHE_DIR"] = os.path.join(FOLDER, "cache")
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
