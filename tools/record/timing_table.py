#!/usr/bin/env python3
"""Converts recordings of record_timing.sh into tables: one row a launch (counters, event times), one row a kernel (registers and machine
instructions), one row a launch of further recordings (throughputs), and the list of the cases that are kept out of tuning.

    timing_table.py [--clang] [--gpu NAME] [--kind KIND] FOLDER OUTPUT_FOLDER [FOLDER...]
                      FOLDER: timing.tgz unpacked; rows of programs that it lacks stay as they are. Folders behind the output's:
                      further recordings. --clang: executables of `drywarp nvcc` were recorded. --gpu: another than the H200, with those
                      counters that were recorded and without machine code, which is the H200's.
                      --kind guests, ..., settlers (timing.py's SETS) or mechanisms: to a table of its own, without machine code
    timing_table.py --times [--clang] [--gpu NAME] OUTPUT_FOLDER FOLDER...
                      cycles and time of the tables' launches become the medians of these recordings, which have few counters: with
                      100 counters ncu replays a launch dozens of times, and takes cycles and time from different runs
    timing_table.py --check
                      that the committed tables belong together, and the list is the rule's
"""

import argparse
import csv
import functools
import hashlib
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "accuracy"))

# The readers of the tables define their names and the throughputs.
from limiter import THROUGHPUTS  # noqa: E402
from timing import GPUS, KINDS, SETS, TABLES  # noqa: E402


# Its double-precision functions (log, exp, erfc) are calls in clang's PTX that only drywarp knows.
NVCC_ALONE = {"strangers_fields"}

# What varies from run to run, and is measured several times.
REPEATED = ("gpu__time_duration.sum", "sm__cycles_elapsed.max")

# Sets of which every third kernel of a source is held out. Of the sets before them, kernels are held out by their names.
BY_PLACE = tuple(f"{name}_" for name in SETS[SETS.index("callers"):])

# Programs whose cases each show one mechanism.
MECHANISMS = {"in_place", "local", "polling"}


@functools.lru_cache(maxsize=None)
def kernels_of(program):
    """The names of a program's kernels, as its source has them one after the other."""
    with open(os.path.join(ROOT, "bench", "accuracy", "kernels", program + ".cu"), encoding="utf-8") as file:
        bounds = r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s+"
        return re.findall(rf"__global__\s+(?:{bounds})?void\s+(?:{bounds})?(\w+)", file.read())


def held_out(row):
    """All applications and kernels of learning, which are newer than the model, and a third of the other cases by their names (of strangers' kernels, by the
    kernels' names, of guests', newcomers', visitors' and mechanisms' with the programs' before them, with all their launches). Of the kernels of
    BY_PLACE every third of a source. None of the ladder, which was used for tuning before."""
    if row["program"] in ("applications", "learning"):
        return True
    kernel = plain(row["kernel"]).split("<")[0]
    if row["program"].startswith(BY_PLACE):
        return kernels_of(row["program"]).index(kernel) % 3 == 2
    in_program = row["program"] in MECHANISMS or row["program"].startswith(("guests_", "newcomers_", "visitors_"))
    case = kernel if row["program"].startswith("strangers_") else row["program"] + "/" + kernel if in_program else row["case"]
    return not case.startswith("ladder_") and int(hashlib.sha256(case.encode()).hexdigest(), 16) % 3 == 0


def read_table(path):
    """Rows, and the line of units if the table has one."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_table(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_ncu(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if line.startswith('"')))
    if len(rows) < 3:
        return {}, []
    header, units = rows[0], rows[1]
    return dict(zip(header, units)), [dict(zip(header, row)) for row in rows[2:]]


def case_names(folder, program, launches):
    if program.startswith("ladder_"):
        with open(os.path.join(ROOT, "bench/accuracy/data/ladder.cu"), encoding="utf-8") as file:
            names = re.findall(r'go\("(\w+)"', file.read())
        size = program.split("_")[1]
        return [f"ladder_{name}_{size}" for name in names]
    if program.startswith("example_"):
        return [f"{program}.{i}" for i in range(launches)]
    with open(os.path.join(folder, program + ".cases"), encoding="utf-8") as file:
        return re.findall(r"^CASE,(.*)$", file.read(), re.MULTILINE)


def event_times(folder, program):
    with open(os.path.join(folder, program + ".times"), encoding="utf-8") as file:
        found = re.findall(r"^TIME,(\w+),([0-9.]+)", file.read(), re.MULTILINE)
    size = program.split("_")[1] if program.startswith("ladder_") else ""
    # Without a size in its name, the ladder uses 2048.
    if program == "ladder_2048":
        return {f"ladder_{name}_{size}": time for name, time in found}
    return dict(found) if not program.startswith(("ladder_", "example_")) else {}


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def plain(name):
    """The common part of both demanglers' output: the kernel's name and its template arguments, without return type and parameters."""
    name = re.sub(r"^void ", "", name)
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", name)
    name = re.sub(r"\bnvcuda::(?:wmma::precision::)?", "", name)
    name = re.sub(r"\((?:unsigned )?(?:int|bool|long|char|short)\)", "", name)
    name = re.sub(r"\b(\d+)ul?\b", r"\1", name)
    name = re.sub(r"\bfalse\b", "0", re.sub(r"\btrue\b", "1", name))
    depth, end = 0, len(name)
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            end = i
            break
    return name[:end].replace("unsigned int", "uint").replace("unsigned char", "uchar").replace(" ", "")


def read_code(folder, program):
    """registers and the like by ptxas -v; instructions by mnemonic."""
    kernels = {}
    current = None
    with open(os.path.join(folder, program + ".ptxas"), encoding="utf-8") as file:
        for line in file:
            if match := re.search(r"Compiling entry function '(\w+)'", line):
                current = kernels.setdefault(match[1], {"shared": 0})
            elif current is None:
                continue
            elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
                current["stack"], current["spill_stores"], current["spill_loads"] = match.groups()
            elif match := re.search(r"Used (\d+) registers, used (\d+) barriers", line):
                current["registers"], current["barriers"] = match.groups()
                if shared := re.search(r"(\d+) bytes smem", line):
                    current["shared"] = shared[1]
    current = None
    with open(os.path.join(folder, program + ".sass"), encoding="utf-8") as file:
        for line in file:
            if match := re.search(r"Function : (\w+)", line):
                current = kernels.setdefault(match[1], {"shared": 0}).setdefault("code", {})
            elif match := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", line):
                if current is not None:
                    current[match[1]] = current.get(match[1], 0) + 1
    return kernels


def recorded(folder, program):
    """(units, [(case, launch)]) of the launches that ran."""
    units, launches = read_ncu(os.path.join(folder, program + ".ncu"))
    names = case_names(folder, program, len(launches))
    if len(launches) != len(names) and not program.startswith("ladder_"):
        sys.exit(f"{program}: {len(names)} cases, {len(launches)} launches")
    return units, [(case, launch) for case, launch in zip(names, launches) if launch["Grid Size"] != "(0, 0, 0)"]


def programs_in(folder):
    return sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".ncu"))


def number(launch, metric):
    return launch.get(metric, "").replace(",", "")


def held_out_cases(data):
    """Of every table."""
    tables = [os.path.join(data, f"{prefix.replace(GPUS[0], gpu)}-{kind}.csv") for prefix in TABLES.values() for gpu in GPUS for kind in KINDS]
    return {row["case"] for path in tables for row in read_table(path)[1:] if held_out(row)}


def check():
    """Exit code 1 and one line for each fault: no case may be removed from the list, every launch needs its machine code, and both
    compilers' tables must have the same launches."""
    data = os.path.join(ROOT, "bench", "accuracy", "data")
    with open(os.path.join(data, "held_out.txt"), encoding="utf-8") as file:
        listed = {line.strip() for line in file if not line.startswith("#")}
    faults, cases = [f"held_out.txt: {case}" for case in sorted(listed ^ held_out_cases(data))], {}
    for compiler, prefix in TABLES.items():
        launches = read_table(os.path.join(data, prefix + "-kernels.csv"))[1:]
        code = {(row["program"], row["mangled"]) for row in read_table(os.path.join(data, prefix + "-code.csv"))}
        cases[compiler] = [row["case"] for row in launches]
        for row in launches:
            program = "ladder" if row["program"].startswith("ladder_") else row["program"]
            if (program, row["mangled"]) not in code:
                faults.append(f"{prefix}-code.csv lacks {row['mangled']} of {program}")
        if len(set(cases[compiler])) != len(launches):
            faults.append(f"{prefix}-kernels.csv: a case twice")
        again = {row["case"] for row in read_table(os.path.join(data, prefix + "-throughputs.csv"))}
        faults += [f"{prefix}-throughputs.csv: {case}" for case in sorted(again ^ set(cases[compiler]))]
    for gpu in GPUS[1:]:
        for compiler, prefix in TABLES.items():
            rows = read_table(os.path.join(data, f"{prefix.replace(GPUS[0], gpu)}-kernels.csv"))[1:]
            cases[gpu, compiler] = [row["case"] for row in rows if row["program"] not in NVCC_ALONE]
        if cases[gpu, "nvcc"] != cases[gpu, "clang"]:
            faults.append(f"{gpu}: the compilers' tables hold other launches")
    if cases["nvcc"] != cases["clang"]:
        faults.append("the compilers' tables hold other launches")
    print("\n".join(faults) or f"{len(cases['nvcc'])} launches, {len(listed)} held out")
    return 1 if faults else 0


def replace_times(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("--clang", action="store_true")
    options.add_argument("--gpu", choices=GPUS, default=GPUS[0])
    options.add_argument("out")
    options.add_argument("folders", nargs="+")
    args = options.parse_args(arguments)
    measured = {}
    for folder in args.folders:
        for program in programs_in(folder):
            for case, launch in recorded(folder, program)[1]:
                measured.setdefault((program, case), []).append(launch)
    prefix = TABLES["clang" if args.clang else "nvcc"].replace(GPUS[0], args.gpu)
    for kind in KINDS:
        path = os.path.join(args.out, f"{prefix}-{kind}.csv")
        rows, replaced = read_table(path), 0
        for row in rows[1:]:
            launches = measured.get((row["program"], row["case"]), [])
            replaced += bool(launches)
            for metric in REPEATED if launches else ():
                row[metric] = f"{statistics.median(float(number(launch, metric)) for launch in launches):.0f}"
        if replaced:
            write_table(path, rows)
            print(f"{os.path.basename(path)}: {replaced} of {len(rows) - 1} launches")


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    if sys.argv[1:2] == ["--times"]:
        sys.exit(replace_times(sys.argv[2:]))
    options = argparse.ArgumentParser()
    options.add_argument("--clang", action="store_true")
    options.add_argument("--gpu", choices=GPUS, default=GPUS[0])
    options.add_argument("--kind", choices=KINDS, default=KINDS[0])
    options.add_argument("folder")
    options.add_argument("out")
    options.add_argument("further", nargs="*")
    args = options.parse_args()
    prefix = TABLES["clang" if args.clang else "nvcc"].replace(GPUS[0], args.gpu)
    folder, out, further = args.folder, args.out, args.further
    with open(os.path.join(HERE, "timing_metrics.txt"), encoding="utf-8") as file:
        metrics = file.read().split()
    rows, code_rows, units = [], [], {}
    for program in programs_in(folder):
        if program == "example_barrier_mistake":
            continue  # stops with an error, as it should
        found_units, launches = recorded(folder, program)
        units.update(found_units)
        times = event_times(folder, program)
        code = read_code(folder, program)
        readable = demangled(list(code))
        mangled = {plain(text): name for name, text in readable.items()}
        for case, launch in launches:
            kernel = launch["Kernel Name"]
            name = mangled.get(plain(kernel), "")
            if not name:
                sys.exit(f"{program}: which machine code is {kernel}?")
            row = {"case": case, "program": program, "kernel": kernel, "mangled": name,
                   "block": launch["Block Size"], "grid": launch["Grid Size"], "event_us": times.get(case, "")}
            row.update({metric: number(launch, metric) for metric in metrics if metric in launch})
            rows.append(row)
        if program == "ladder_1024":
            continue  # the same code as ladder_2048
        for name, facts in sorted(code.items()):
            mnemonics = facts.get("code", {})
            code_rows.append({
                "program": "ladder" if program.startswith("ladder_") else program, "mangled": name,
                "registers": facts.get("registers", ""), "shared_bytes": facts["shared"], "stack_bytes": facts.get("stack", ""),
                "spill_store_bytes": facts.get("spill_stores", ""), "spill_load_bytes": facts.get("spill_loads", ""),
                "instructions": sum(mnemonics.values()) - mnemonics.get("NOP", 0),
                "mnemonics": " ".join(f"{m}:{c}" for m, c in sorted(mnemonics.items()) if m != "NOP")})
    kernels_path, code_path = os.path.join(out, f"{prefix}-{args.kind}.csv"), os.path.join(out, prefix + "-code.csv")
    new = {row["program"] for row in rows}, {row["program"] for row in code_rows}
    rows += [row for row in read_table(kernels_path)[1:] if row["program"] not in new[0]]
    code_rows += [row for row in read_table(code_path) if row["program"] not in new[1]]
    rows.sort(key=lambda row: row["program"])
    code_rows.sort(key=lambda row: row["program"])
    write_table(kernels_path, [{key: units.get(key, "us" if key == "event_us" else "") for key in rows[0]}] + rows)
    if args.gpu == GPUS[0] and args.kind == KINDS[0]:
        write_table(code_path, code_rows)
    if further:
        write_throughputs(os.path.join(out, prefix + "-throughputs.csv"), further, {row["case"] for row in rows})
    kept = sorted(held_out_cases(out))
    with open(os.path.join(out, "held_out.txt"), "w", encoding="utf-8") as file:
        file.write(f"# Cases kept out of tuning: the applications, the kernels of learning, and those whose names' (strangers': kernels' names'; guests', newcomers', visitors' and mechanisms': programs' and kernels' names') SHA-256 is divisible by 3, and of {', '.join(name[:-1] for name in BY_PLACE)} every third kernel of a source (tools/record/timing_table.py).\n")
        file.writelines(case + "\n" for case in kept)
    print(f"{len(rows)} launches, {len(code_rows)} kernels, {len(kept)} cases held out")


def write_throughputs(path, folders, cases):
    rows = [{"case": case, "recording": recording, **{t: number(launch, t) for t in THROUGHPUTS}}
            for recording, folder in enumerate(folders, 2) for program in programs_in(folder)
            for case, launch in recorded(folder, program)[1] if case in cases]
    new = {row["case"] for row in rows}
    rows += [row for row in read_table(path) if row["case"] not in new]
    write_table(path, sorted(rows, key=lambda row: (row["case"], int(row["recording"]))))


if __name__ == "__main__":
    main()
