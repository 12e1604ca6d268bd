#!/usr/bin/env python3
"""Records how long a GPU takes for each configuration of bench/accuracy/choices, built by nvcc.

    record_choices.py build LIST PROGRAM [--jobs N]     needs nvcc; `bench/accuracy/choices.py --list` prints LIST
    record_choices.py run PROGRAM OUTPUT.csv [--processes 4] [--first 1] [--launches 2] [--unchecked]
                                                        needs a GPU, ncu and the right to read counters
    record_choices.py join OUTPUT.csv INPUT.csv...      the launches of several runs in one table

All configurations are one program, each in a namespace of its own: so a GPU need not wait for a compiler, and starting CUDA takes longer
than the kernels. First the results are checked, a process for each file of bench/accuracy/choices. Then each of the processes runs
all configurations under ncu in another order, with new buffers for each, and launches each kernel several times.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CHOICES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "bench", "accuracy", "choices")
METRICS = ["launch__registers_per_thread", "gpu__time_duration.sum", "sm__cycles_elapsed.max"]
NVCC = ["nvcc", "-O3", "-std=c++17", "-arch=sm_90", f"-I{HERE}", f"-I{CHOICES}"]
LAUNCH = re.compile(r"\w+<<<[^;]*;")

# run SEED LAUNCHES: all configurations in the order of the seed.   check PROGRAM: results, in one launch each.
DRIVER = r"""
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "choices_prelude.h"
#undef main

struct Choice {
  const char* program;
  const char* configuration;
  int (*run)(int, char**);
};
DECLARATIONS
int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // else each of the large vectors costs page faults
  std::vector<Choice> choices;
  for (auto [first, count] : {LISTS}) choices.insert(choices.end(), first, first + count);
  recorded::checks = !std::strcmp(argv[1], "check");
  if (!recorded::checks) {
    std::shuffle(choices.begin(), choices.end(), std::mt19937(std::atoi(argv[2])));
    recorded::launches = std::atoi(argv[3]);
  }
  int status = 0;
  for (const Choice& choice : choices) {
    if (recorded::checks && std::strcmp(choice.program, argv[2])) continue;
    if (!recorded::checks) std::printf("CASE,%s,%s\n", choice.program, choice.configuration);
    std::fflush(stdout);
    if (!choice.run(1, argv)) continue;
    std::printf("wrong result: %s %s\n", choice.program, choice.configuration);
    status = 1;
  }
  return status;
}
"""


def unit(program, configurations):
    """All configurations of a program as one source."""
    with open(os.path.join(CHOICES, f"{program}.cu"), encoding="utf-8") as file:
        source = LAUNCH.sub(lambda launch: "for (int again = 0; again < recorded::launches; ++again) " + launch.group(), file.read())
    parts, rows = ['#include "choices_prelude.h"\nstruct Choice { const char *program, *configuration; int (*run)(int, char**); };\n'], []
    for i, configuration in enumerate(configurations):
        macros = [text.split("=") for text in configuration.split()]
        parts += [f"#define {name} {value}\n" for name, value in macros]
        parts.append(f"namespace {program}_{i} {{\n{source}\n}}\n")
        parts += [f"#undef {name}\n" for name, _ in macros]
        rows.append(f'{{"{program}", "{configuration}", {program}_{i}::one_choice}}')
    parts.append(f"extern const Choice {program}_choices[] = {{{', '.join(rows)}}};\n")
    return "".join(parts)


def build(arguments):
    programs = collections.defaultdict(list)
    with open(arguments.list, encoding="utf-8") as file:
        for line in file:
            program, configuration = line.strip().split(" ", 1)
            programs[program].append(configuration)
    with tempfile.TemporaryDirectory() as work:
        sources = {name: unit(name, configurations) for name, configurations in programs.items()}
        declarations = "\n".join(f"extern const Choice {name}_choices[];" for name in programs)
        lists = ", ".join(f"std::pair<const Choice*, int>({name}_choices, {len(rows)})" for name, rows in programs.items())
        sources["driver"] = DRIVER.replace("DECLARATIONS", declarations).replace("LISTS", lists)

        def compile_unit(name):
            path = os.path.join(work, name)
            with open(path + ".cu", "w", encoding="utf-8") as file:
                file.write(sources[name])
            subprocess.run([*NVCC, "-c", path + ".cu", "-o", path + ".o"], check=True)
            return path + ".o"

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            objects = list(pool.map(compile_unit, sources))
        subprocess.run([*NVCC, "-o", arguments.program, *objects], check=True)


def one_process(arguments, seed):
    """[(program, configuration, [numbers of METRICS of each launch])] in the order in which they ran."""
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "log.csv")
        ran = subprocess.run(["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
                              "--log-file", log, arguments.program, "run", str(seed), str(arguments.launches)],
                             check=True, capture_output=True, text=True)
        with open(log, encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if re.match(r'"(ID|\d+)"', line)))
    cases = [line.split(",")[1:] for line in ran.stdout.splitlines() if line.startswith("CASE,")]
    if len(rows) != len(cases) * arguments.launches:
        sys.exit(f"{len(cases)} configurations ran, but {len(rows)} launches were recorded")
    numbers = [[row[metric].replace(",", "") for metric in METRICS] for row in rows]
    return [(*case, numbers[i * arguments.launches:(i + 1) * arguments.launches]) for i, case in enumerate(cases)]


def check(arguments):
    programs = sorted(name[:-3] for name in os.listdir(CHOICES) if name.endswith(".cu"))
    running = [subprocess.Popen([arguments.program, "check", program], stdout=subprocess.PIPE, text=True) for program in programs]
    for program, process in zip(programs, running):
        text = process.communicate()[0]
        if process.returncode:
            print(f"{program}: ends with {process.returncode}\n{text}", file=sys.stderr)


def run(arguments):
    start = time.monotonic()
    arguments.program = os.path.abspath(arguments.program)
    if not arguments.unchecked:
        check(arguments)
        print(f"results checked after {time.monotonic() - start:.0f} s", file=sys.stderr)
    launches = collections.defaultdict(list)
    for seed in range(arguments.first, arguments.first + arguments.processes):
        for program, configuration, numbers in one_process(arguments, seed):
            launches[program, configuration] += numbers
        print(f"process {seed} ended after {time.monotonic() - start:.0f} s", file=sys.stderr)
        write(arguments.output, launches)


def join(arguments):
    launches = collections.defaultdict(list)
    for path in arguments.inputs:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                ns, cycles = ([row[key] for key in row if key.startswith(name) and row[key]] for name in ("ns.", "cycles."))
                launches[row["program"], row["configuration"]] += [(row["registers"], *pair) for pair in zip(ns, cycles)]
    write(arguments.output, launches)


def write(path, launches):
    """Programs with fewer launches than others have empty cells."""
    count = max(map(len, launches.values()))
    with open(path, "w", encoding="utf-8") as file:
        header = [f"{name}.{i}" for name in ("ns", "cycles") for i in range(1, count + 1)]
        print(",".join(["program", "configuration", "registers", *header]), file=file)
        for (program, configuration), numbers in sorted(launches.items()):
            registers, ns, cycles = zip(*numbers)
            missing = [""] * (count - len(numbers))
            print(",".join([program, configuration, registers[0], *ns, *missing, *cycles, *missing]), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    building = commands.add_parser("build")
    building.add_argument("list")
    building.add_argument("program")
    building.add_argument("--jobs", type=int, default=os.cpu_count())
    building.set_defaults(call=build)
    running = commands.add_parser("run")
    running.add_argument("program")
    running.add_argument("output")
    running.add_argument("--processes", type=int, default=4)
    running.add_argument("--launches", type=int, default=2, help="of each kernel in a process")
    running.add_argument("--first", type=int, default=1, help="the first process's order: each number is another")
    running.add_argument("--unchecked", action="store_true")
    running.set_defaults(call=run)
    joining = commands.add_parser("join")
    joining.add_argument("output")
    joining.add_argument("inputs", nargs="+")
    joining.set_defaults(call=join)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
