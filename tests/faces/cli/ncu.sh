# ncu: its sections, pages and CSV columns of a whole program, as scripts read them; options, filters, files, errors.
# Layouts are held column by column by tests/faces/profilers.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>
namespace demo {
template <int N>
__global__ void add(float* a, const float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += N * b[i];
}
}  // namespace demo
__global__ void add_two(float* a) { a[threadIdx.x] += 2; }
int main(int argc, char**) {
  constexpr int n = 1 << 14;
  float *a, *b;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4);
  demo::add<3><<<n / 256, 256>>>(a, b);
  add_two<<<1, 64>>>(a);
  nvtxRangePushA("step");
  demo::add<3><<<n / 256, 256>>>(a, b);
  nvtxRangePop();
  cudaDeviceSynchronize();
  std::printf("program's output\n");
  return argc > 1 ? 3 : 0;
}
CU
expect 0 "$DRYWARP" nvcc app.cu -o app

# The default: the set basic. The program's output stays its own; marks of ours are on standard error.
expect 0 "$DRYWARP" ncu ./app
has out "program's output"
has out '==PROF== Connected to process '
has out "($home/app)"
has out '==PROF== Profiling "add" - 0: 0%....50%....100% - 1 pass'
has out '==PROF== Profiling "add_two" - 1: 0%....50%....100% - 1 pass'
has out '==PROF== Disconnected from process '
grep -qE '^\[[0-9]+\] app@127.0.0.1$' out || fail "no line of the process"
has out '  void demo::add<3>(float*, float const*) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0'
has out '    Section: GPU Speed Of Light Throughput'
has out '    Section: Launch Statistics'
grep -qE '^    Grid Size +64$' out || fail "no row of the grid's size"
hasnt out '==DRYWARP=='
has err '==DRYWARP== modelled, not measured: '
has err '==DRYWARP== n/a: dram__cycles_elapsed.avg.per_second'
[[ $(grep -c 'modelled, not measured' err) == 1 ]] || fail "modelled values are not said once"

grep -qE '^    (OPT|INF)   ' out || fail "no limiter"
expect 0 "$DRYWARP" ncu --apply-rules no ./app
if grep -qE '^    (OPT|INF)   ' out; then fail "--apply-rules no"; fi
expect 0 "$DRYWARP" ncu --rule SOLBottleneck ./app
[[ $(grep -cE '^    (OPT|INF)   ' out) == 3 ]] || fail "--rule has not the limiter of each launch alone"
expect 0 "$DRYWARP" ncu --rule nosuch --csv ./app
hasnt out 'Rule Name'
has err '--rule nosuch: drywarp has no such rule'
expect 0 "$DRYWARP" ncu --list-rules
has out 'bank_conflicts '
expect 0 "$DRYWARP" ncu --csv -k add_two ./app
grep -qE '"9.0","SpeedOfLight","","","","limiter","(OPT|INF)","[A-Z].*","",""$' out || fail "no limiter in CSV"

# CSV has base units; a kernel's name by its function, exactly. Under the name ncu the program is the same.
ln -s "$DRYWARP" ncu
expect 0 ./ncu --csv --kernel-name add -c 1 --metrics gpu__time_duration.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,nosuch__x.sum ./app
has out '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
has out '"Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","4,096"'
has out '"Command line profiler metrics","nosuch__x.sum","","n/a"'
hasnt out '==PROF== Profiling'
[[ $(grep -c '"gpu__time_duration.sum","ns"' out) == 1 ]] || fail "one launch has more than one row"
has err 'nosuch__x.sum is n/a: there is no metric of that name; did you mean'

# Lines of ==PROF== stand between those of the program, wherever its output goes.
cat >lines.cu <<'CU'
#include <cstdio>
__global__ void one() {}
__global__ void two() {}
int main() {
  cudaFree(0);
  std::puts("first"), std::fflush(stdout);
  one<<<1, 32>>>();
  std::puts("second"), std::fflush(stdout);
  two<<<1, 32>>>();
  std::puts("last");
}
CU
expect 0 "$DRYWARP" nvcc lines.cu -o lines
order() { grep -oE '^(==PROF== (Connected|Disconnected|Report)|first|second|last|    Section)|"(one|two)" - [01]' out | sed 's/.* //' | tr '\n' ' '; }
expect 0 "$DRYWARP" ncu --metrics launch__grid_size -c 2 ./lines
[[ $(order) == 'Connected first 0 second 1 last Disconnected Section Section ' ]] || fail "order of lines"
has out '==PROF== Profiling "two" - 1 (2/2): 0%....50%....100% - 1 pass'
expect 0 "$DRYWARP" ncu -o lines ./lines
[[ $(order) == 'Connected first 0 second 1 last Disconnected Report ' ]] || fail "order of lines with -o"
expect 0 "$DRYWARP" ncu --csv --metrics launch__grid_size ./lines
[[ $(order) == 'Connected first second last Disconnected ' ]] || fail "order of lines with --csv"
expect 0 "$DRYWARP" ncu --log-file lines.log --metrics launch__grid_size ./lines
[[ $(cat out) == $'first\nsecond\nlast' ]] || fail "the program's output with --log-file"
mv lines.log out && [[ $(order) == 'Connected 0 1 Disconnected Section Section ' ]] || fail "--log-file"

# A reader that goes away: the program runs to its end, and no temporary folder is left.
mkdir temporary
{ TMPDIR=$home/temporary timeout 60 "$DRYWARP" ncu ./lines 2>err || echo $? >code; } | true || true
[[ $(cat code) == 141 ]] || fail "a broken pipe ends with $(cat code)"
[[ -z $(ls -A temporary) ]] || fail "a broken pipe leaves $(ls temporary)"

# Filters.
launches() { expect 0 "$DRYWARP" ncu "$@" --metrics launch__grid_size ./app; }
launches -k add && [[ $(grep -c '==PROF== Profiling "add": ' out) == 2 ]] || fail "-k add"
hasnt out add_two
launches -k regex:^add && [[ $(grep -c '==PROF== Profiling' out) == 3 ]] || fail "-k regex:"
launches -k 'regex:demo::add' --kernel-name-base demangled -s 1 && [[ $(grep -c '==PROF== Profiling' out) == 1 ]] || fail "-s"
launches -k _Z7add_twoPf --kernel-name-base mangled && has out '==PROF== Profiling "add_two": 0%'
launches --launch-skip-before-match 1 -k add && [[ $(grep -c '==PROF== Profiling' out) == 1 ]] || fail "before match"
launches --nvtx --nvtx-include step/ && [[ $(grep -c '==PROF== Profiling "add"' out) == 1 ]] || fail "--nvtx-include"
launches --nvtx-exclude step && [[ $(grep -c '==PROF== Profiling' out) == 2 ]] || fail "--nvtx-exclude"
launches --nvtx-include step -c 1 -k add && [[ $(grep -c '==PROF== Profiling "add"' out) == 1 ]] || fail "-c in a range"
launches --kernel-id ::add:2 && [[ $(grep -c '==PROF== Profiling' out) == 1 ]] || fail "--kernel-id"
has out '==PROF== Profiling "1:7:add:2": 0%....50%....100% - 1 pass'
launches --kernel-id :7:regex:^add: && [[ $(grep -c '==PROF== Profiling' out) == 3 ]] || fail "--kernel-id regex:"
launches --kernel-id :13:: && has out 'No kernels were profiled'
# The session counts no launch that a filter leaves out.
expect 0 "$DRYWARP" ncu --nvtx-include step -o range ./app
expect 0 "$DRYWARP" query range.dwprof "SELECT count(*) AS n FROM launches WHERE counted" --format csv
[[ $(tail -1 out) == 1 ]] || fail "launches outside the range are counted"
expect 0 "$DRYWARP" ncu -k nosuch ./app
has out '==WARNING== No kernels were profiled.'
has out '1. add'
has out '2. add_two'

# A kept profile, and its pages.
expect 0 "$DRYWARP" ncu -o run ./app
has out "==PROF== Report: $home/run.dwprof"
hasnt out 'Section:'
hasnt err 'n/a: '
hasnt err 'modelled, not measured'
expect 125 "$DRYWARP" ncu -o run ./app
has err "'run.dwprof' exists"
expect 0 "$DRYWARP" ncu -f -o run.dwprof ./app
expect 0 "$DRYWARP" ncu --import run --page raw --csv -k add_two
has out '"launch__block_dim_x"'
[[ $(wc -l <out) == 3 ]] || fail "raw CSV is not heading, units and a row"
expect 0 "$DRYWARP" ncu --import run.dwprof --page raw --set full
has out '  launch__grid_dim_x '
expect 0 "$DRYWARP" ncu --import run.dwprof --print-summary per-kernel
has out 'Device 0, CC 9.0, Invocations 2'
has out 'Minimum'
expect 0 "$DRYWARP" ncu --import run.dwprof --csv --metrics gpu__time_duration.sum
has out '"gpu__time_duration.sum","us"'
expect 0 "$DRYWARP" ncu --import run.dwprof --print-details all --set full -k add_two
has out '    Table Name : Shared Memory'
grep -qE '^    SM: Inst Executed  +% ' out || fail "no breakdown of a throughput"
hasnt out 'Memory Throughput Breakdown'
has out '    Section: Launch Statistics'
expect 0 "$DRYWARP" ncu --import run.dwprof --print-details body --csv --section WarpStateStats -k add_two
has out '"Warp State Statistics","Warp State (All Cycles)","Stall Long Scoreboard","inst"'
hasnt out '"Warp State Statistics",""'
expect 0 "$DRYWARP" ncu --import run.dwprof --print-summary per-gpu
has out '  Device 0, CC 9.0'
expect 0 "$DRYWARP" ncu --import run.dwprof --print-summary per-kernel --csv
grep -qE '"Duration","us","[0-9.]+"' out || fail "a summary's units are not scaled"
expect 0 "$DRYWARP" ncu --import run.dwprof --print-summary per-kernel --csv --print-units base
grep -qE '"Duration","ns","[0-9.,]+"' out || fail "--print-units base"
expect 0 "$DRYWARP" ncu --import run.dwprof --page source --csv
has out '"Line No","Source","Instructions Executed"'
# Its columns are those of the recording, in their order; before them the line stands where ncu has the address.
mapfile -t ours < <(sed -n 3p out | tr ',' '\n' | tail -n +2)
mapfile -t theirs < <(sed -n 2p "$SOURCE/tests/golden/ncu/source.csv" | tr ',' '\n')
[[ ${#ours[@]} == 10 ]] || fail "there are ${#ours[@]} columns"
at=0
for column in "${ours[@]}"; do
  while [[ $at -lt ${#theirs[@]} && ${theirs[at]} != "$column" ]]; do at=$((at + 1)); done
  [[ $at -lt ${#theirs[@]} ]] || fail "the recording has no column $column there"
done
grep -q '^"8","  a\[i\] += N \* b\[i\];","[1-9]' out || fail "the line of the access has no instructions"
hasnt err 'n/a: '
expect 0 "$DRYWARP" ncu --import run.dwprof --kernel-id ::add:2 --page raw --csv
[[ $(wc -l <out) == 3 ]] || fail "--kernel-id of a kept profile"
expect 0 "$DRYWARP" ncu --import run.dwprof --page session
has out 'NVIDIA H200'
echo 'NVR' >real.ncu-rep
expect 125 "$DRYWARP" ncu --import real.ncu-rep
has err 'no .ncu-rep'
expect 127 "$DRYWARP" ncu --import nosuch
expect 125 "$DRYWARP" ncu --import run.dwprof ./app

# Lists.
expect 0 "$DRYWARP" ncu --list-sets
has out 'basic      LaunchStats, Occupancy, SpeedOfLight, WorkloadDistribution '
expect 0 "$DRYWARP" ncu --list-sections
has out 'SchedulerStats '
expect 0 "$DRYWARP" ncu --list-chips
has out 'h200'
expect 0 "$DRYWARP" ncu --query-metrics
has out 'Chip h200'
grep -q '^dram__bytes  *Counter  *byte ' out || fail "no dram__bytes"
expect 0 "$DRYWARP" ncu --query-metrics-mode suffix --metrics dram__bytes --chips gh100
has out 'Chip gh100'
grep -q '^dram__bytes.sum.per_second  *Counter  *byte/s ' out || fail "no suffix"
expect 0 "$DRYWARP" ncu --query-metrics-mode suffix --metrics dram__bytes --chips h200,a100
[[ $(grep '^Chip' out) == $'Chip a100\nChip h200' ]] || fail "chips are not listed in the order of their names"
for chips in nosuch h200,nosuch '' ,; do expect 125 "$DRYWARP" ncu --query-metrics --chips "$chips"; done
has err '--chips'
has err '--list-chips'
expect 0 "$DRYWARP" ncu --version
has out 'Version '

# A log file has the lines of ncu alone; the exit code is the program's.
expect 3 "$DRYWARP" ncu --log-file log.txt --section Occupancy ./app fail
[[ $(cat out) == "program's output" ]] || fail "standard output has more than the program's"
has log.txt '==ERROR== The application returned an error code (3).'
has log.txt 'Section: Occupancy'

# Options without meaning are accepted and said; wrong ones are errors with near names.
expect 0 "$DRYWARP" ncu --clock-control none --cache-control all --replay-mode application --target-processes all \
  --metrics launch__grid_size ./app
has err '==DRYWARP== --clock-control has no effect: '
has err '==DRYWARP== --target-processes has no effect: '
expect 125 "$DRYWARP" ncu --kernel-nam add ./app
has err '--kernel-name'
expect 125 "$DRYWARP" ncu --set ful ./app
has err 'the sets are basic'
expect 125 "$DRYWARP" ncu --section Occupency ./app
has err 'Occupancy'
expect 125 "$DRYWARP" ncu -k 'regex:(' ./app
has err 'is not a regular expression'
for name in '' regex:; do
  launches -k "$name" && [[ $(grep -c '==PROF== Profiling' out) == 3 ]] || fail "-k '$name'"
done
expect 125 "$DRYWARP" ncu --kernel-id a:b:c:d:e ./app
has err "the invocation 'e'"
expect 125 "$DRYWARP" ncu --kernel-id nonsense ./app
has err 'context:stream:[regex:]kernel:invocation'
expect 0 "$DRYWARP" ncu --csv --metrics group:memory__shared_table -k add_two ./app
[[ $(grep -c '"Command line profiler metrics"' out) == 21 ]] || fail "a group has all of its metrics"
has out '"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum","","0"'
expect 0 "$DRYWARP" ncu --metrics breakdown:nosuch -k add_two ./app
has out '  add_two(float*) (1, 1, 1)x(64, 1, 1)'
hasnt out 'Section:'
has err '--metrics breakdown:nosuch has no metrics; did you mean'
expect 125 "$DRYWARP" ncu --page nosuch ./app
expect 125 "$DRYWARP" ncu --devices 1 ./app
has err 'there is one GPU, 0'
expect 125 "$DRYWARP" ncu --launch-count 0 ./app
