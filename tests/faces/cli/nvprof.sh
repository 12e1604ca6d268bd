# nvprof: its tables and CSV columns of a whole program, as scripts read them; options, files, errors. Layouts are held
# column by column by tests/faces/profilers.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
#include <cuda_profiler_api.h>
namespace demo {
template <int N>
__global__ void add(float* a, const float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += N * b[i];
}
}  // namespace demo
__global__ void tile(float* a) {
  __shared__ float t[32][32];
  t[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) a[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
int main(int argc, char** argv) {
  constexpr int n = 1 << 16;
  float *a, *b, *pinned, *host = new float[n]();
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMallocHost(&pinned, n * 4);
  cudaMemset(b, 0, n * 4);
  cudaMemcpy(a, host, n * 4, cudaMemcpyHostToDevice);
  cudaProfilerStart();
  cudaStream_t s;
  cudaStreamCreate(&s);
  demo::add<3><<<n / 256, 256>>>(a, b);
  demo::add<3><<<n / 512, 512, 1024, s>>>(a, b);
  tile<<<1, dim3(32, 32)>>>(a);
  cudaMemcpy(b, a, n * 4, cudaMemcpyDeviceToDevice);
  cudaMemcpy(pinned, a, n * 4, cudaMemcpyDeviceToHost);
  cudaProfilerStop();
  tile<<<1, dim3(32, 32)>>>(a);
  std::puts("the program's own line");
  return argc > 1 ? 3 : 0;
}
CU

# The summary, on standard error; the program keeps its standard output and its exit code.
expect 0 "$DRYWARP" nvprof app.cu
[[ $(cat out) == "the program's own line" ]] || fail "standard output is not the program's alone"
sed -n 1,3p err >head
grep -qE '^==[0-9]+== NVPROF is profiling process [0-9]+, command: ./app$' head || fail "no first line"
grep -qE '^==[0-9]+== Profiling application: ./app$' head || fail "no second line"
grep -qE '^==[0-9]+== Profiling result:$' head || fail "no third line"
has err "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name"
has err " GPU activities:"
has err "      API calls:"
has err "  void demo::add<3>(float*, float const*)"
[[ $(grep -c '^==DRYWARP==' err) == 3 ]] || fail "the notes are not three lines"
has err "durations of kernels and copies are modelled for NVIDIA H200"
has err "the times of API calls, and Start, are this machine's"
tail -n 1 err | grep -q '^==DRYWARP==' || fail "the notes are not at the end"

# Scripts read CSV by the names and units of its columns. A link named nvprof is nvprof.
ln -s "$DRYWARP" nvprof
expect 3 ./nvprof --print-gpu-trace --csv -u us --log-file 'trace_%p.csv' app.cu -- x
mv trace_*.csv trace.csv
hasnt err "Profiling result"
has trace.csv "======== Error: Application returned non-zero code 3"
hasnt err "exit code"
expect 0 "$DRYWARP" nvprof --csv -o run.dwprof app.cu
has err "Generated result file: $PWD/run.dwprof"
hasnt err "GPU activities"
expect 125 "$DRYWARP" nvprof -o run.dwprof app.cu
has err "'run.dwprof' exists"
expect 0 "$DRYWARP" nvprof -i run.dwprof --csv
mv err summary.csv
expect 0 "$DRYWARP" nvprof -i run.dwprof --csv --print-api-trace
mv err api.csv
expect 0 "$DRYWARP" nvprof -i run.dwprof --csv -m gld_efficiency,ipc,shared_load_transactions,cf_executed --kernels ::add:2 -e branch,warps_launched
mv err counters.csv
python3 - <<'PY' || fail "the CSV is not what scripts expect"
import csv

def table(path, header):
    rows = list(csv.reader(line for line in open(path) if not line.startswith("==") and line.strip()))
    at = next(i for i, row in enumerate(rows) if row[:len(header)] == header)
    names, found = rows[at], []
    for row in rows[at + 1:]:
        if len(row) != len(names) or row[0] == "Device":
            break
        found.append(dict(zip(names, row)))
    return found

trace = table("trace.csv", ["Start", "Duration", "Grid X"])
units, trace = trace[0], trace[1:]
assert (units["Start"], units["Duration"], units["Size"], units["Throughput"]) == ("us", "us", "KB", "GB/s"), units
add, other, tile = (r for r in trace if "CUDA" not in r["Name"])
assert add["Name"] == "void demo::add<3>(float*, float const*)", add
assert [add[c] for c in ("Grid X", "Block X", "Stream", "Context", "Dynamic SMem")] == ["256", "256", "7", "1", "0.000000"], add
assert [other[c] for c in ("Grid X", "Block X", "Stream", "Dynamic SMem")] == ["128", "512", "13", "1.000000"], other
assert tile["Static SMem"] == "4.000000" and tile["Block Y"] == "32" and int(tile["Registers Per Thread"]) > 0, tile
copies = {r["Name"]: r for r in trace if "CUDA" in r["Name"]}
assert [copies["[CUDA memcpy HtoD]"][c] for c in ("SrcMemType", "DstMemType", "Size")] == ["Pageable", "Device", "256.000000"]
assert [copies["[CUDA memcpy DtoH]"][c] for c in ("SrcMemType", "DstMemType")] == ["Device", "Pinned"], copies
assert set(copies) == {"[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memcpy DtoD]", "[CUDA memset]"}, copies
assert abs(float(copies["[CUDA memcpy HtoD]"]["Duration"]) - 5.523) < 0.01, copies  # devices/h200.toml: 800 ns, 55.5 GB/s
assert all(float(r["Duration"]) > 0 for r in trace) and len(trace) == 7, trace  # the launch after cudaProfilerStop is not there
starts = [float(r["Start"]) for r in trace]
assert starts == sorted(starts) and starts[0] >= 0, starts

summary = table("summary.csv", ["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"])
assert summary[0]["Time(%)"] == "%" and summary[0]["Type"] == "", summary[0]
gpu = [r for r in summary if r["Type"] == "GPU activities"]
assert abs(sum(float(r["Time(%)"]) for r in gpu) - 100) < 0.01, gpu
assert next(r for r in gpu if "add" in r["Name"])["Calls"] == "2", gpu
calls = {r["Name"]: int(r["Calls"]) for r in summary if r["Type"] == "API calls"}
assert calls["cudaStreamCreate"] == 1 and calls["cudaMemcpy"] == 3 and calls["cudaMalloc"] == 2 and calls["cudaLaunchKernel"] == 3, calls

api = table("api.csv", ["Start", "Duration", "Name", "Correlation_ID"])[1:]
by_id = {r["Correlation_ID"]: r["Name"] for r in api}
assert by_id[add["Correlation_ID"]] == "cudaLaunchKernel", by_id
assert by_id[copies["[CUDA memset]"]["Correlation_ID"]] == "cudaMemset", by_id

metrics = table("counters.csv", ["Device", "Kernel", "Invocations", "Metric Name", "Metric Description", "Min", "Max", "Avg"])
found = {(r["Kernel"].split("(")[0], r["Metric Name"]): r for r in metrics}
assert found["tile", "gld_efficiency"]["Avg"] == "100.000000%" and found["tile", "cf_executed"]["Avg"] == "n/a", metrics
assert found["void demo::add<3>", "shared_load_transactions"]["Max"] == "0" and len(metrics) == 8, metrics
assert float(found["tile", "ipc"]["Avg"]) > 0 and found["tile", "gld_efficiency"]["Device"] == "NVIDIA H200 (0)", metrics
events = table("counters.csv", ["Device", "Kernel", "Invocations", "Event Name", "Min", "Max", "Avg", "Total"])
assert [(r["Event Name"], r["Invocations"], r["Total"]) for r in events] == [("branch", "1", "0"), ("warps_launched", "1", "2048")], events
PY
grep '^==DRYWARP==' counters.csv >notes
has notes "modelled, not counted: branch, ipc"
has notes "n/a: cf_executed: needs the machine's instructions by kind"

# Counters as text, and a row a launch. An exact counter needs no times.
expect 0 "$DRYWARP" nvprof --metrics gld_efficiency app.cu
has err "          1                            gld_efficiency             Global Memory Load Efficiency     100.00%     100.00%     100.00%"
hasnt err "==DRYWARP=="
expect 0 "$DRYWARP" nvprof -i run.dwprof --print-gpu-trace --metrics gld_efficiency --events divergent_branch --demangling off
grep -qE '^ *Device +Context +Stream +Kernel +divergent_branch +Global Memory Load Efficiency$' err || fail "no head"
grep -qE '^ NVIDIA H200 \(0\) +1 +13 +_ZN4demo3addILi3EEEvPfPKf \[[0-9]+\] +0 +100.00%$' err || fail "no row of a launch"
expect 0 "$DRYWARP" nvprof -i run.dwprof --analysis-metrics
has err "stall_memory_dependency"
[[ $(grep -c ' dram_utilization ' err) == 2 ]] || fail "not a row a kernel"
expect 0 "$DRYWARP" nvprof -i run.dwprof --kernels nosuch --metrics gld_efficiency
has err "No events/metrics were profiled."
has err "--kernels nosuch names no launch; launched: "

# Between cudaProfilerStart() and Stop() only; an option without effect is said once, at the end.
expect 0 "$DRYWARP" nvprof --profile-from-start off --concurrent-kernels off --csv app.cu
hasnt err "[CUDA memset]"
hasnt err "cudaMalloc"
has err "tile(float*)"
has err "==DRYWARP== --concurrent-kernels has no effect: kernels run one after the other"
expect 0 "$DRYWARP" nvprof --quiet --print-api-trace app.cu
[[ ! -s err ]] || fail "--quiet is not quiet"
expect 0 "$DRYWARP" nvprof --log-file %1 --print-gpu-summary app.cu
has out " GPU activities:"
hasnt out "API calls"

expect 0 "$DRYWARP" nvprof -i run.dwprof --profile-api-trace none
hasnt err "API calls"
expect 0 "$DRYWARP" nvprof -i run.dwprof --trace api
hasnt err "GPU activities"

# A program that uses no CUDA, and one that dies: its launches until then.
cat >others.cu <<'CU'
#include <csignal>
#include <unistd.h>
__global__ void once() {}
int main(int argc, char**) {
  if (argc == 1) return 4;
  once<<<1, 32>>>();
  while (argc == 3) pause();
  raise(SIGKILL);
}
CU
expect 4 "$DRYWARP" nvprof others.cu
has err "======== Warning: No CUDA application was profiled, exiting"
expect 4 "$DRYWARP" nvprof -f -o run.dwprof others.cu
has err "No CUDA application"
expect 137 "$DRYWARP" nvprof --print-gpu-trace others.cu -- x
has err "once() [1]"
has err "======== Error: Application received signal 9"
expect 143 "$DRYWARP" nvprof --print-gpu-trace --timeout 0.5 others.cu -- x y
has err "once() [1]"

# Lists, and errors.
expect 0 "$DRYWARP" nvprof --query-metrics
has out "                  gld_efficiency:  Global load efficiency"
has out "(n/a: "
expect 0 "$DRYWARP" nvprof --query-events
has out "                  warps_launched:  "
expect 0 ./nvprof --version
has out "Release version"
expect 125 "$DRYWARP" nvprof --metrics gld_eficiency app.cu
has err "did you mean gld_efficiency"
expect 125 "$DRYWARP" nvprof --print-gpu-trac app.cu
has err "did you mean --print-gpu-trace?"
expect 125 "$DRYWARP" nvprof --devices 1 app.cu
expect 125 "$DRYWARP" nvprof --log-file '%x' app.cu
expect 127 "$DRYWARP" nvprof -i nosuch.nvvp
python3 -c 'import sqlite3; sqlite3.connect("theirs.nvvp").execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(x)")'
expect 125 "$DRYWARP" nvprof -i theirs.nvvp
has err "not nvprof's or Nsight's own files"
