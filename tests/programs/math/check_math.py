#!/usr/bin/env python3
"""Our mathematical functions against an H200's own results, result by result.

    check_math.py DRYWARP VARIANT     compiles and runs tools/record/math_results.cu as default, ftz, approximate or fast
    check_math.py --results FILE VARIANT [NAME ...]     prints the distances of the program's results from the recorded ones

Every result is compared with tests/golden/hardware/math_h200.xz. distances.txt says for each function how many results may differ,
how far, and how many may be of another kind (a zero's sign, a NaN); functions that it does not name are equal bit for bit. None of
these may grow. DRYWARP_ACCEPT=1 writes the variant's lines, and from them the table of docs/arithmetic.md.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/record"))
import math_results  # noqa: E402

SOURCE = ROOT / "tools/record/math_results.cu"
RECORDED = ROOT / "tests/golden/hardware/math_h200.xz"
DISTANCES = ROOT / "tests/programs/math/distances.txt"
PAGE = ROOT / "docs/arithmetic.md"
VARIANTS = {"default": [], "ftz": ["-ftz=true"], "approximate": ["-prec-div=false", "-prec-sqrt=false"],
            "fast": ["-use_fast_math"]}

# Functions with zeros where CUDA bounds only the absolute error: units are at least those of 1.
ABSOLUTE = {"__sinf", "__cosf", "__tanf", "__sincosf_sin", "__sincosf_cos", "__logf", "__log2f", "__log10f",
            "sin_approx", "cos_approx", "lg2_approx", "sin_approx_ftz", "cos_approx_ftz", "lg2_approx_ftz",
            "lgammaf", "j0f", "j1f", "y0f", "y1f", "jnf", "ynf", "lgamma", "j0", "j1", "y0", "y1"}
# -use_fast_math turns these into the above.
ABSOLUTE_FAST = {"sinf", "cosf", "tanf", "sincosf_sin", "sincosf_cos", "logf", "log2f", "log10f"}


def is_absolute(variant, name):
    return name in ABSOLUTE or (variant == "fast" and name in ABSOLUTE_FAST)


class Format:
    """The bits of a floating-point type."""

    def __init__(self, kind):
        size, _, self.mantissa = math_results.TYPES[kind]
        self.sign = 1 << (8 * size - 1)
        self.infinity = (self.sign - 1) >> self.mantissa << self.mantissa
        self.bias = (self.infinity >> self.mantissa) // 2

    def is_nan(self, bits):
        return bits & (self.sign - 1) > self.infinity

    def place(self, bits):
        """Position among the type's numbers: neighbours are one unit apart, and infinity follows the largest number."""
        size = bits & (self.sign - 1)
        return -size if bits & self.sign else size

    def value(self, bits):
        """In units in the last place of 1."""
        size = bits & (self.sign - 1)
        exponent, rest = size >> self.mantissa, size & ((1 << self.mantissa) - 1)
        whole = Fraction(rest + (1 << self.mantissa if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - self.bias)
        return -whole if bits & self.sign else whole


def distance(kind, got, want, absolute):
    """Units in the last place, or None for results of different kinds."""
    if math_results.TYPES[kind][2] is None:
        return None
    form = Format(kind)
    if form.is_nan(got) or form.is_nan(want):
        return 0 if form.is_nan(got) and form.is_nan(want) else None
    size = form.sign - 1
    if (got | want) & size == 0:
        return None
    places = abs(form.place(got) - form.place(want))
    if absolute and max(got & size, want & size) < form.infinity:
        return min(places, ceil(abs(form.value(got) - form.value(want))))
    return None if (got ^ want) & form.sign else places


@dataclass
class Distances:
    different: int = 0
    greatest: int = 0
    kinds: int = 0

    def within(self, allowed):
        return self.different <= allowed.different and self.greatest <= allowed.greatest and self.kinds <= allowed.kinds

    def __str__(self):
        kinds = f", {self.kinds} of another kind" if self.kinds else ""
        return f"{self.different} differ, by {self.greatest} ulp at most{kinds}"


def compare(variant, name, kind, got, want, show=0):
    total = Distances()
    for index, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        if mine == theirs:
            continue
        units = distance(kind, mine, theirs, is_absolute(variant, name))
        if units == 0:
            continue
        if show > 0:
            print(f"  {name}[{index}] = {mine:x}, H200 {theirs:x}: {'another kind' if units is None else f'{units} ulp'}")
            show -= 1
        if units is None:
            total.kinds += 1
        else:
            total.different += 1
            total.greatest = max(total.greatest, units)
    return total


def read_distances():
    table = {}
    for line in DISTANCES.read_text().splitlines() if DISTANCES.exists() else []:
        if line and not line.startswith("#"):
            variant, name, *numbers = line.split()
            table[variant, name] = Distances(*map(int, numbers))
    return table


HEAD = """\
# How far results are from an H200's (check_math.py): variant, function, results that differ, greatest distance in ulp,
# results of another kind (the sign of a zero, a NaN). Functions that are not here are equal bit for bit.
"""


def write_distances(table, recorded):
    lines = [f"{variant} {name} {d.different} {d.greatest} {d.kinds}\n"
             for variant, functions in recorded.items() for name in functions if (d := table.get((variant, name)))]
    DISTANCES.write_text(HEAD + "".join(lines))


def page_table(table, recorded):
    lines = ["| function | arguments | differ | ulp at most | differ, fast | ulp at most, fast |", "|---|--:|--:|--:|--:|--:|"]
    exact = []
    for name, (_, want) in recorded["default"].items():
        columns = []
        for variant in ("default", "fast"):
            d = table.get((variant, name), Distances())
            unit = " (of 1)" if is_absolute(variant, name) and d.greatest else ""
            columns += [f"{100 * (d.different + d.kinds) / len(want):.1f} %", f"{d.greatest}{unit}"]
        if any((variant, name) in table for variant in ("default", "fast")):
            lines.append(f"| `{name}` | {len(want)} | " + " | ".join(columns) + " |")
        else:
            exact.append(f"`{name}`")
    return "\n".join(lines) + "\n\nEqual bit for bit: " + ", ".join(exact) + ".\n"


MARK = "<!-- made from tests/programs/math/distances.txt by DRYWARP_ACCEPT=1 check_math.py -->\n"


def page_problem(table, recorded):
    text = PAGE.read_text()
    head, mark, _ = text.partition(MARK)
    wanted = head + MARK + "\n" + page_table(table, recorded)
    if text == wanted and mark:
        return []
    if os.environ.get("DRYWARP_ACCEPT"):
        PAGE.write_text(wanted)
        return []
    return [f"{PAGE} is not what {DISTANCES} makes"]


def results_of(drywarp, variant, names):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        subprocess.run([drywarp, "run", *VARIANTS[variant], str(SOURCE), "--", str(out), *names], check=True)
        return math_results.read_results(out)


def main():
    if sys.argv[1] == "--results":
        recorded = math_results.read_recorded(RECORDED)[sys.argv[3]]
        ours = math_results.read_results(sys.argv[2])
        for name, (kind, got) in ours.items():
            if not sys.argv[4:] or name in sys.argv[4:]:
                print(f"{name:24}", compare(sys.argv[3], name, kind, got, recorded[name][1], show=20 if sys.argv[4:] else 0))
        return 0

    drywarp, variant = sys.argv[1:]
    all_recorded = math_results.read_recorded(RECORDED)
    # Of the other variants the functions that an option changes: compiling each takes half a second.
    recorded = {name: results for name, results in all_recorded[variant].items()
                if variant == "default" or results != all_recorded["default"][name]}
    ours = results_of(drywarp, variant, recorded)
    table = read_distances()
    accept = bool(os.environ.get("DRYWARP_ACCEPT"))
    problems = []
    if ours.keys() != recorded.keys():
        problems.append(f"other functions than recorded: {sorted(ours.keys() ^ recorded.keys())}")
    for name, (kind, got) in ours.items():
        measured = compare(variant, name, kind, got, recorded[name][1])
        allowed = table.get((variant, name), Distances())
        if accept:
            table.pop((variant, name), None)
            if measured != Distances():
                table[variant, name] = measured
        elif not measured.within(allowed):
            problems.append(f"{name}: {measured}; allowed: {allowed}")
            compare(variant, name, kind, got, recorded[name][1], show=5)
    if accept:
        write_distances(table, all_recorded)
    problems += page_problem(table, all_recorded)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
