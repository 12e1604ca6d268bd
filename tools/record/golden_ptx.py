#!/usr/bin/env python3
"""Regenerates the PTX of tests/golden/accuracy and ptxas.csv of tests/golden/lowering: golden_ptx.py [DRYWARP]

The PTX comes from nvcc and clang (DRYWARP nvcc) for the programs in launches.csv, without comments and line numbers; of the bench's
programs, only launched kernels are kept. ptxas.csv has ptxas's results for these kernels and for tests/golden/lowering/*.ptx, from
bench/accuracy/data/*-code.csv.
Needs nvcc.
"""

import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "accuracy"))
import timing

GOLDEN = os.path.join(ROOT, "tests", "golden")
ENTRY = re.compile(r"^\s*(?:\.visible|\.weak) \.entry (\w+)\(", re.MULTILINE)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def source_of(program):
    kernels = os.path.join(ROOT, "bench", "accuracy", "kernels")
    example = re.fullmatch(r"example_(\w+)", program)
    return os.path.join(ROOT, "examples", example[1] + ".cu") if example else os.path.join(kernels, program + ".cu")


def plain(text):
    """The PTX without comments and debug information."""
    text = re.sub(r"\s*//.*", "", text)
    text = re.sub(r"^\s*\.section\s+\.debug\w*\s*\{[^}]*\}", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*\.(?:loc|file)\s.*", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{2,}", "\n", text).lstrip("\n")


def compiled(drywarp, compiler, source):
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "out.ptx")
        command = ["nvcc", "-arch=sm_90"] if compiler == "nvcc" else [drywarp, "nvcc", "-arch=sm_90"]
        subprocess.run(command + ["-std=c++17", "-O3", "-ptx", "-o", ptx, source], check=True)
        with open(ptx, encoding="utf-8") as file:
            return plain(file.read().rstrip("\0"))


def end_of_body(text, start):
    """The position after the brace that closes the first one."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    sys.exit("a kernel of the PTX does not end")


def only(text, kernels):
    """The PTX with only those kernels."""
    found = list(ENTRY.finditer(text))
    if missing := kernels - {entry[1] for entry in found}:
        sys.exit(f"the PTX lacks {', '.join(sorted(missing))}")
    kept, end = "", 0
    for entry in found:
        if entry[1] not in kernels:
            kept += text[end:entry.start()]
            end = end_of_body(text, entry.end())
    return kept + text[end:]


def main():
    drywarp = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "bin", "drywarp")
    launches = rows_of(os.path.join(GOLDEN, "accuracy", "launches.csv"))
    for compiler in timing.TABLES:
        mangled = {row["case"]: row["mangled"] for row in timing.read_truth(compiler)[0]}
        for program in dict.fromkeys(row["program"] for row in launches if row["compiler"] == compiler):
            kernels = {mangled[row["case"]] for row in launches if (row["compiler"], row["program"]) == (compiler, program)}
            text = compiled(drywarp, compiler, source_of(program))
            if not program.startswith("example_"):  # examples launch all their kernels
                text = only(text, kernels)
            with open(os.path.join(GOLDEN, "accuracy", f"{program}.{compiler}.ptx"), "w", encoding="utf-8") as file:
                file.write(text)

    # Names of a file's kernels in the tables of code.
    recorded = {}
    for compiler in timing.TABLES:
        for row in rows_of(timing.table(compiler, "code")):
            recorded[compiler, row["program"].removeprefix("example_"), row["mangled"]] = row
    with open(os.path.join(GOLDEN, "lowering", "ptxas.csv"), "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["ptx", "kernel", "registers", "spill_bytes", "mnemonics"])
        for path in sorted(glob.glob(os.path.join(GOLDEN, "lowering", "*.ptx")) + glob.glob(os.path.join(GOLDEN, "accuracy", "*.ptx"))):
            name = os.path.relpath(path, GOLDEN)
            program, _, compiler = os.path.basename(path).removesuffix(".ptx").partition(".")
            with open(path, encoding="utf-8") as ptx:
                kernels = ENTRY.findall(ptx.read())
            for kernel in kernels:
                row = recorded.get((compiler or "nvcc", program.removeprefix("example_"), kernel))
                if row:
                    out.writerow([name, kernel, row["registers"], int(row["spill_store_bytes"]) + int(row["spill_load_bytes"]),
                                  row["mnemonics"]])


if __name__ == "__main__":
    main()
