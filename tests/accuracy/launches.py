#!/usr/bin/env python3
"""Compares drywarp's reports of recorded launches with accepted ones and with an H200: tests/golden/accuracy/README.md.

    launches.py [--drywarp PROGRAM] [--device FILE] [--workers N] [--cpu LEVEL] [--reports FOLDER] [--accept [--worse]] [PROGRAM...]

Runs the cases of launches.csv (only of the given programs) with the checked-in PTX of nvcc and clang. Fails if any figure
of a launch differs from the table, and says which; above all if the error of the modelled cycles or instructions against
the hardware grew by more than a point.

The rules of advice judge metrics of both, drywarp's and the hardware's (the program `limiter`): advice.csv has the rules that fire on
each. Rules on exact counts must fire on both or on none.

--accept          writes the new figures into the table; completes rows that have only compiler, program and case
--worse           with --accept: accepts launches whose error grew by more than a point, too
--reports FOLDER  keeps the whole reports, to compare two builds
"""

import argparse
import csv
import difflib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(ROOT, "tests", "golden", "accuracy")
TABLE = os.path.join(GOLDEN, "launches.csv")
ACCURACY = os.path.join(ROOT, "bench", "accuracy")
sys.path.insert(0, ACCURACY)
import embed_ptx
import timing

COMPILERS = ("nvcc", "clang")
# Launches whose whole report is in the golden files.
WHOLE = {("nvcc", "linear", "saxpy_10000"), ("clang", "collective", "scan_warp")}
POINT = 1.0  # how much an error may grow, in per cent of the hardware's value

# (column, the hardware's counter, drywarp's metric): compared with the hardware.
HELD = [
    ("cycles", "sm__cycles_elapsed.max", "sm__cycles_elapsed.max"),
    ("instructions", "smsp__inst_executed.sum", "inst_executed"),
    ("registers", "launch__registers_per_thread", "launch__registers_per_thread"),
]
BOUNDED = ("cycles", "instructions")
# Exact counts in columns of their own, so that a difference is named. All others are in the digests.
COUNTS = ["ptx__inst_executed.sum", "ptx__thread_inst_executed_pred_on.sum", "ptx__branches.sum", "ptx__branches_divergent.sum",
          "ptx__barriers.sum", "global_load_requests", "gld_transactions", "global_store_requests", "gst_transactions",
          "shared_load_requests", "shared_load_transactions", "shared_store_requests", "shared_store_transactions",
          "atomic_global_requests", "atomic_global_rounds", "atomic_shared_requests", "atomic_shared_rounds"]
IDENTITY = ["compiler", "program", "case"]
COLUMNS = (IDENTITY + [c for name, _, _ in HELD for c in ((name, "h200_" + name) + ((name + "_error",) if name in BOUNDED else ()))]
           + COUNTS + ["counts_digest", "model_digest"])
# Host times vary. Sentences may be reworded: digests leave them out.
HOST = {"host_seconds", "start_seconds"}
SENTENCES = {"text", "unit"}
ADVICE = {"advice"}  # tests/profile/advice holds the rules
RULES = os.path.join(GOLDEN, "advice.csv")
RULES_COLUMNS = ["compiler", "program", "case", "advice", "h200_advice"]
# Rules that need exact counts only: drywarp's verdicts must be the hardware's.
EXACT_RULES = {"uncoalesced", "bank_conflicts", "small_grid", "tail", "low_occupancy", "block_size", "partial_warps", "local_arrays"}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("programs", nargs="*", metavar="PROGRAM")
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--limiter", help="the benchmark `limiter`; beside drywarp unless given, and left out if it was not built")
    p.add_argument("--device", default="h200", help="another device file, to see its effect")
    p.add_argument("--workers", help="drywarp profile's")
    p.add_argument("--cpu", help="drywarp profile's")
    p.add_argument("--reports", metavar="FOLDER")
    p.add_argument("--accept", action="store_true")
    p.add_argument("--worse", action="store_true")
    return p.parse_args()


def key(row):
    return row["compiler"], row["program"], row["case"]


def read_table():
    with open(TABLE, newline="", encoding="utf-8") as file:
        return [{c: row.get(c) or "" for c in COLUMNS} for row in csv.DictReader(file)]


def write_table(rows):
    with open(TABLE + ".new", "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    os.replace(TABLE + ".new", TABLE)


def source_of(program):
    example = re.fullmatch(r"example_(\w+)", program)
    return os.path.join(ROOT, "examples", example[1] + ".cu") if example else os.path.join(ACCURACY, "kernels", program + ".cu")


def without(keys, value):
    if isinstance(value, dict):
        return {k: without(keys, v) for k, v in value.items() if k not in keys}
    return [without(keys, v) for v in value] if isinstance(value, list) else value


def exact(value):
    """Only the exact metrics of a report, by launch, kernel, line and instruction."""
    if isinstance(value, dict):
        if "class" in value and "value" in value:
            return value if value["class"] == "exact" else None
        kept = {k: exact(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v not in (None, {}, [])} or None
    if isinstance(value, list):
        return [v for v in map(exact, value) if v is not None] or None
    return None


def digest(value):
    return hashlib.sha256(json.dumps(without(SENTENCES | ADVICE, value), sort_keys=True).encode()).hexdigest()[:12]


def cases_of(program, stdout, launches):
    """The name of each launch: test programs print it; examples are numbered."""
    if program.startswith("example_"):
        return [f"{program}.{launch['index']}" for launch in launches]
    return re.findall(r"^CASE,(\S+)$", stdout, re.MULTILINE)


def run(args, compiler, program, cases, folder):
    """{case: (launch, kernel)} of the report."""
    host, built = os.path.join(folder, program + ".o"), os.path.join(folder, f"{program}-{compiler}")
    report = os.path.join(args.reports or folder, f"{program}-{compiler}.json")
    if not os.path.exists(host):
        embed_ptx.compile_host(source_of(program), host, "-O1")
    embed_ptx.link(args.drywarp, host, os.path.join(GOLDEN, f"{program}.{compiler}.ptx"), built)
    command = [args.drywarp, "profile", "--time", "--instructions", "--format", "json", "--output", report,
               "--device", args.device]
    command += ["--workers", args.workers] if args.workers else []
    command += ["--cpu", args.cpu] if args.cpu else []
    if program.startswith("example_"):
        numbers = sorted(int(case.rsplit(".", 1)[1]) for case in cases)
        command += ["--launch-skip", str(numbers[0]), "--launch-count", str(numbers[-1] - numbers[0] + 1), built]
    else:
        command += [built, *cases]
    # A fresh cache: the usual one has modelled times of earlier runs.
    environment = {**os.environ, "DRYWARP_CACHE_DIR": os.path.join(folder, "cache")}
    environment.pop("DRYWARP_CACHE", None)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    with open(report, encoding="utf-8") as file:
        found = without(HOST, json.load(file))
    names = cases_of(program, done.stdout, found["launches"])
    if len(names) != len(found["launches"]):
        sys.exit(f"{program} ({compiler}): {len(names)} cases, but {len(found['launches'])} launches")
    kernels = {kernel["mangled"]: kernel for kernel in found["kernels"]}
    return {name: (launch, kernels[launch["mangled"]]) for name, launch in zip(names, found["launches"]) if name in cases}


def number(value):
    return "" if value is None else repr(int(value)) if value == int(value) else repr(value)


def row_of(row, launch, kernel, truth):
    metrics = launch["metrics"]
    new = {c: row[c] for c in IDENTITY}
    for name, counter, metric in HELD:
        ours, theirs = metrics[metric]["value"], float(truth[counter])
        if ours is None:
            sys.exit(f"{row['case']} ({row['compiler']}) has no {metric}: {launch['untimed']}")
        new[name], new["h200_" + name] = number(round(ours, 1)), number(theirs)
        if name in BOUNDED:
            new[name + "_error"] = f"{100 * (ours - theirs) / theirs:+.1f}"
    for name in COUNTS:
        new[name] = number(metrics[name]["value"])
    new["counts_digest"] = digest(exact([launch, kernel]))
    new["model_digest"] = digest([launch, kernel])
    return new


def difference(old, new):
    """A description of the changes of a row, and whether an error grew by more than a point."""
    title = f"{new['case']} ({new['compiler']}, {new['program']})"
    if not old["model_digest"]:
        return f"{title}: new, cycles {new['cycles']}, error {new['cycles_error']} %", False
    changes, worse = [], False
    for name in BOUNDED:
        before, now = old[name + "_error"], new[name + "_error"]
        if old[name] != new[name]:
            changes.append(f"{name} {old[name]} -> {new[name]} (H200 {new['h200_' + name]}), error {before} % -> {now} %")
        if abs(float(now)) > abs(float(before)) + POINT:
            changes.append(f"** {name} FURTHER FROM THE HARDWARE by {abs(float(now)) - abs(float(before)):.1f} points **")
            worse = True
    changes += [f"{c} {old[c]} -> {new[c]}" for c in COLUMNS if old[c] != new[c]
             and c not in IDENTITY and c not in BOUNDED and not c.endswith(("_error", "_digest"))]
    if old["counts_digest"] != new["counts_digest"]:
        changes.append("exact counts changed" if changes else "an exact count without a column changed")
    if not changes:
        changes.append(f"cycles {new['cycles']} and error {new['cycles_error']} % as before; another modelled figure changed")
    return f"{title}: " + "; ".join(changes), worse


def rules_of(limiter, rows, folder):
    """The rules that fire on each of the launches, whose metrics these are."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = os.path.join(folder, "metrics.csv")
    with open(table, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    answer = subprocess.run([limiter, table], check=True, capture_output=True, text=True).stdout
    return {row["case"]: " ".join(sorted(row["advice"].split())) for row in csv.DictReader(answer.splitlines())}


def metrics_of(case, launch):
    values = {name: metric["value"] for name, metric in launch["metrics"].items() if metric["value"] is not None}
    return {"case": case, **values}


def check_rules(args, compiler, program, found, truth, folder):
    """Whether the rules fire as advice.csv says, and those on exact counts as on the hardware."""
    ours = rules_of(args.limiter, [metrics_of(case, launch) for case, (launch, _) in found.items()], folder)
    theirs = rules_of(args.limiter, [truth[case] for case in found], folder)
    with open(RULES, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    mine = lambda row: (row["compiler"], row["program"]) == (compiler, program)
    new = [dict(zip(RULES_COLUMNS, (compiler, program, case, ours[case], theirs[case]))) for case in found]
    good = True
    for row in new:
        differ = EXACT_RULES & (set(row["advice"].split()) ^ set(row["h200_advice"].split()))
        if differ:
            print(f"{row['case']} ({compiler}, {program}): {', '.join(sorted(differ))} fires on one of drywarp's counts and the hardware's")
            good = False
    if [row for row in table if mine(row)] != new:
        for old, now in zip([row for row in table if mine(row)], new):
            if old != now:
                print(f"{now['case']} ({compiler}, {program}): advice {old['advice']} | {old['h200_advice']} -> {now['advice']} | {now['h200_advice']}")
        if args.accept:
            with open(RULES, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, RULES_COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(sorted([row for row in table if not mine(row)] + new, key=lambda r: list(r.values())[:3]))
        else:
            print(f"{program} ({compiler}): the rules that fire differ from {os.path.relpath(RULES, ROOT)}; --accept takes them")
            good = False
    return good


def layout(value, indent=0):
    """JSON with short values on one line."""
    text = json.dumps(value)
    if len(text) <= 150 or not isinstance(value, (dict, list)):
        return text
    items = ([f"{json.dumps(k)}: {layout(v, indent + 1)}" for k, v in value.items()] if isinstance(value, dict)
             else [layout(v, indent + 1) for v in value])
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + "".join(f"\n{' ' * (indent + 1)}{item}," for item in items)[:-1] + f"\n{' ' * indent}{end}"


def check_whole(compiler, case, pair, accept):
    """Whether the report of one launch equals the golden file."""
    path = os.path.join(GOLDEN, f"{case}.{compiler}.json")
    text = layout(without(ADVICE, {"launch": pair[0], "kernel": pair[1]})) + "\n"
    if accept:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if lines == text.splitlines():
        return True
    print(f"{os.path.basename(path)} differs:")
    print("\n".join(list(difflib.unified_diff(lines, text.splitlines(), "before", "now", lineterm="", n=1))[:40]))
    return False


def main():
    args = arguments()
    args.limiter = args.limiter or os.path.join(os.path.dirname(args.drywarp), "limiter")
    table = read_table()
    programs = args.programs or list(dict.fromkeys(row["program"] for row in table))
    if args.reports:
        os.makedirs(args.reports, exist_ok=True)
    changed, refused, whole_differs, rules_differ = {}, 0, False, False
    with tempfile.TemporaryDirectory() as folder:
        for compiler in COMPILERS:
            truth = {row["case"]: row for row in timing.read_truth(compiler)[0]}
            for program in programs:
                rows = [row for row in table if (row["compiler"], row["program"]) == (compiler, program)]
                if not rows:
                    sys.exit(f"{TABLE} has no launch of {program} by {compiler}")
                found = run(args, compiler, program, [row["case"] for row in rows], folder)
                found = {row["case"]: found[row["case"]] for row in sorted(rows, key=lambda r: r["case"]) if row["case"] in found}
                if not os.path.exists(args.limiter):
                    print(f"{program} ({compiler}): the rules of advice are not checked, for {args.limiter} was not built")
                else:
                    rules_differ |= not check_rules(args, compiler, program, found, truth, folder)
                for row in rows:
                    if row["case"] not in found:
                        sys.exit(f"{program} ({compiler}) did not launch {row['case']}")
                    new, accept = row_of(row, *found[row["case"]], truth[row["case"]]), args.accept
                    if new != row:
                        text, worse = difference(row, new)
                        print(text)
                        accept &= args.worse or not worse
                        refused += args.accept and not accept
                        changed[key(row)] = new if accept else row
                    if key(row) in WHOLE:
                        whole_differs |= not check_whole(compiler, row["case"], found[row["case"]], accept)
    if args.accept and changed:
        write_table([changed.get(key(row), row) for row in table])
        print(f"{len(changed) - refused} launches accepted")
    if refused:
        print(f"{refused} launches are further from the hardware by more than a point and were NOT accepted: --worse accepts them too")
    if changed and not args.accept:
        print(f"\n{len(changed)} launches differ from {os.path.relpath(TABLE, ROOT)}. If that is meant:\n"
              f"  {os.path.relpath(os.path.abspath(__file__), ROOT)} --accept {' '.join(args.programs)}")
    return int(bool(refused or whole_differs or rules_differ or changed and not args.accept))


if __name__ == "__main__":
    sys.exit(main())
