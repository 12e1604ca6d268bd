#!/bin/bash
# Records how long a GPU takes for each configuration of bench/accuracy/choices, built by nvcc. Needs a GPU, nvcc, ncu and
# the right to read counters; `bench/accuracy/choices.py --list` prints the list of configurations.
#
#   record_choices.sh LIST OUTPUT.csv [REPEATS]      a line of LIST: PROGRAM MACRO=VALUE...
#
# Each configuration becomes a shared library, and one process calls them all: starting CUDA takes longer than the kernels.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$1 output=$2 repeats=${3:-3}
work=$(mktemp -d)
export root work

# shellcheck disable=SC2016
xargs -P "$(nproc)" -L1 bash -c 'program=$0; name=$(tr " =" "_-" <<< "$program $*")
  nvcc -O3 -std=c++17 -arch=sm_90 -cudart shared -shared -Xcompiler -fPIC -Dmain=one_choice -o "$work/$name.so" "${@/#/-D}" \
    "$root/bench/accuracy/choices/$program.cu" || echo "$name: does not compile" >&2' < "$list"

cat > "$work/all.cpp" <<'TEXT'
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

// all FOLDER LIST FIRST: calls the libraries of the list's lines from the line FIRST on.
int main(int, char** argv) {
  std::ifstream list(argv[2]);
  std::string line;
  for (int i = 0; std::getline(list, line); ++i) {
    if (i < std::stoi(argv[3])) continue;
    std::string name = line;
    for (char& c : name) c = c == ' ' ? '_' : c == '=' ? '-' : c;
    void* const library = dlopen((argv[1] + ("/" + name + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) continue;
    std::printf("CASE %d %s\n", i, line.c_str());
    std::fflush(stdout);
    char* arguments[] = {name.data(), nullptr};
    const int status = reinterpret_cast<int (*)(int, char**)>(dlsym(library, "_Z10one_choiceiPPc"))(1, arguments);
    std::printf(status ? "\nWRONG %d\n" : "\n", i);
    std::fflush(stdout);
  }
}
TEXT
g++ -O1 -o "$work/all" "$work/all.cpp" -ldl || exit 1
cat > "$work/rows.py" <<'TEXT'
import csv, re, sys

cases, rows, header = [], [], None
for line in open(sys.argv[1], errors="replace"):
    if line.startswith("CASE "):
        cases.append(line.split()[2:])
    if line.startswith("WRONG "):
        print("wrong result:", *cases[-1], file=sys.stderr)
    if line.startswith('"ID"'):
        header = next(csv.reader([line]))
    if re.match(r'"\d+"', line):
        rows.append(dict(zip(header, next(csv.reader([line])))))
if len(rows) < len(cases):
    print("no launch:", *cases.pop(), file=sys.stderr)
if len(rows) != len(cases):
    sys.exit(f"{len(cases)} configurations ran, but {len(rows)} launches were recorded")
for case, row in zip(cases, rows):
    numbers = [row[metric].replace(",", "") for metric in sys.argv[2].split(",")]
    print(",".join([case[0], " ".join(case[1:]), *numbers]))
TEXT
metrics=launch__registers_per_thread,gpu__time_duration.sum,sm__cycles_elapsed.max
echo "program,configuration,$metrics" > "$output"
for _ in $(seq "$repeats"); do
  first=0
  while ((first < $(wc -l < "$list"))); do
    ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
      "$work/all" "$work" "$list" "$first" > "$work/log" 2>&1
    python3 "$work/rows.py" "$work/log" "$metrics" >> "$output" || tail -3 "$work/log" >&2
    # A configuration that cannot run ends the process: go on behind it.
    first=$(($(grep '^CASE' "$work/log" | tail -1 | cut -d' ' -f2) + 1))
  done
done
