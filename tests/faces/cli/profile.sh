# `drywarp profile`: reports in every format, filters, and the program's exit code.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void first(float* a) { a[threadIdx.x] = 1; }
__global__ void second(float* a) { a[threadIdx.x * 2] = 2; }
int main(int argc, char**) {
  float* a;
  cudaMalloc(&a, 4096);
  for (int i = 0; i < 3; ++i) first<<<2, 64>>>(a);
  second<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  std::puts("the program's own line");
  return argc > 1 ? 5 : 0;
}
CU
expect 0 "$DRYWARP" profile app.cu
has out "the program's own line"
has out first
has out second
has out "app.cu:4"
hasnt out "gst_efficiency"
# Everything else is on the other pages; no line is wider than 80 columns.
expect 0 "$DRYWARP" profile --details --output details.txt app.cu
has details.txt "second(float*)"
has details.txt "gst_efficiency"
has details.txt "cudaLaunchKernel"
expect 0 "$DRYWARP" profile --page source --kernel second --output source.txt app.cu
has source.txt "app.cu:4"
hasnt source.txt first
expect 0 "$DRYWARP" profile --page raw --output raw.txt app.cu
has raw.txt gst_transactions_excess
expect 0 "$DRYWARP" profile --launches --metrics gst_efficiency --output launches.txt app.cu
[[ $(grep -c ' first$' launches.txt) == 3 ]] || fail "not a row per launch"
expect 0 "$DRYWARP" profile --launches app.cu
[[ $(grep -c ' first$' out) == 3 ]] || fail "not a row per launch"
for report in details.txt source.txt raw.txt launches.txt out; do
  awk 'length > 80 { exit 1 }' $report || fail "a line of $report is wider than 80 columns"
done
# A kernel that is not named is not shown.
expect 0 "$DRYWARP" profile --kernel second app.cu
has out second
hasnt out first
expect 125 "$DRYWARP" profile --page all app.cu
has err "the pages are summary, details, source and raw"
expect 125 "$DRYWARP" profile --page raw --details app.cu
expect 125 "$DRYWARP" profile --launches --format json app.cu
expect 125 "$DRYWARP" profile --launches --page source app.cu

# Standard output has only JSON.
expect 5 "$DRYWARP" profile --format json app.cu -- x
has err "the program's own line"
python3 - <<'PY' || fail "unexpected JSON"
import json
report = json.load(open("out"))
kernels = {k["name"]: k for k in report["kernels"]}
assert len(report["launches"]) == 4, len(report["launches"])
assert {"first(float*)", "second(float*)"} <= set(kernels), kernels.keys()
launch = report["launches"][3]
assert launch["grid"] == [1, 1, 1] and launch["block"] == [32, 1, 1], launch
metrics = launch["metrics"]
assert metrics["global_store_requests"]["value"] == 1, metrics["global_store_requests"]
assert metrics["gst_transactions"]["value"] == 8, metrics["gst_transactions"]
PY

expect 0 "$DRYWARP" profile --format csv --output report.csv app.cu
has out "the program's own line"
has report.csv "gst_transactions"

expect 0 "$DRYWARP" profile --metrics gst_transactions,branch_efficiency --kernel second app.cu
has out gst_transactions
hasnt out gld_transactions

expect 0 "$DRYWARP" profile --format json --launch-skip 1 --launch-count 1 --kernel first --output one.json app.cu
python3 - <<'PY' || fail "the launch filters did not filter"
import json
launches = json.load(open("one.json"))["launches"]
counted = [i for i, launch in enumerate(launches) if launch["metrics"]["gst_transactions"]["value"] is not None]
assert counted == [1], counted
PY

# A filter that matches nothing is an error that lists the candidates; the program's output and exit code are shown.
expect 125 "$DRYWARP" profile --kernel secund --output none.csv app.cu
has out "the program's own line"
has err "--kernel secund: no kernel of that name was launched"
has err "launched: second, first"
[[ ! -e none.csv ]] || fail "a file without a report was left"
expect 125 "$DRYWARP" profile --kernel nosuch app.cu -- x
has err "ended with exit code 5"
expect 125 "$DRYWARP" profile --launch-skip 4 app.cu
has err "the program has 4 launches"
expect 125 "$DRYWARP" profile --launch-count 0 app.cu
expect 125 "$DRYWARP" profile --region app.cu:100-200 app.cu
has err "there is code in"
has err "app.cu:3-4"
expect 125 "$DRYWARP" profile --region other.cu:3 app.cu
expect 125 "$DRYWARP" profile --time off --metrics gpu__time_duration.sum app.cu
has err "--metrics gpu__time_duration.sum needs modelled times"
hasnt out "the program's own line"
expect 125 "$DRYWARP" profile --no-counters --kernel first app.cu
expect 125 "$DRYWARP" profile --instructions app.cu
expect 125 "$DRYWARP" profile --source-lines app.cu
# The same filters in other subcommands.
expect 125 "$DRYWARP" occupancy --no-run --kernel nosuch app.cu
has err "found: first, second"

expect 0 "$DRYWARP" profile --no-counters app.cu
has out first
expect 0 "$DRYWARP" profile --query-metrics
has out gst_transactions

# Modelled times are deterministic, bounded or not, and do not change the counts.
expect 0 "$DRYWARP" profile --time --format json --output timed.json app.cu
expect 0 "$DRYWARP" profile --time --format json --output again.json app.cu
expect 0 "$DRYWARP" profile --time off --format json --output plain.json app.cu
expect 0 "$DRYWARP" profile --format json --region app.cu:1-3 --output auto.json app.cu
python3 - <<'PY' || fail "unexpected times"
import json
files = [json.load(open(f"{n}.json")) for n in ("timed", "again", "plain", "auto")]
timed, again, plain, auto = (f["launches"] for f in files)
assert len(timed) == len(auto) > 0
for kernel in files[3]["kernels"]:
    assert kernel["limiter"]["kind"] in ("small_grid", "latency", "memory", "compute", "balanced"), kernel["limiter"]
    assert kernel["limiter"]["evidence"], kernel["limiter"]
    assert abs(sum(line["time"]["share"] for line in kernel["lines"]) - 1) < 1e-9
    assert kernel["regions"][-1]["name"] == "app.cu:1-3"
assert files[2]["timing"] is None and all(k["time"] is None and k["limiter"] is None for k in files[2]["kernels"])
for a, b, c, d in zip(timed, again, plain, auto):
    assert a["metrics"] == d["metrics"] and c["untimed"] is None
    duration = a["metrics"]["gpu__time_duration.sum"]
    assert duration["class"] == "modelled" and 500 < duration["value"] < 100000, duration
    assert c["metrics"]["gpu__time_duration.sum"]["value"] is None, c["metrics"]["gpu__time_duration.sum"]
    assert a["metrics"] == b["metrics"]
    for name, metric in c["metrics"].items():
        if metric["class"] == "exact":
            assert metric["value"] == a["metrics"][name]["value"], name
PY

# Wrong options fail before anything is compiled or run.
expect 125 "$DRYWARP" profile --metrics gld_transactionz app.cu
has err gld_transactionz
expect 125 "$DRYWARP" profile --kernel '(' app.cu
has err regular
expect 125 "$DRYWARP" profile --format xml app.cu
expect 125 "$DRYWARP" profile --time=sometimes app.cu
expect 125 "$DRYWARP" profile --region app.cu app.cu
has err "kernel.cu:10-20"
expect 125 "$DRYWARP" profile --output /no/such/folder/x app.cu
hasnt out "the program's own line"
# Without a report no new file is left, and an old one keeps its contents.
echo 'int main( {' >broken.cu
echo 'int main() { return 5; }' >plain.cu
echo before >kept.csv
expect 125 "$DRYWARP" profile --output none.csv broken.cu
expect 125 "$DRYWARP" profile --output kept.csv broken.cu
expect 5 "$DRYWARP" profile --output none.csv plain.cu
expect 5 "$DRYWARP" profile --output kept.csv plain.cu
[[ ! -e none.csv ]] || fail "a file without a report was left"
[[ $(cat kept.csv) == before ]] || fail "a file was emptied for nothing"
expect 0 "$DRYWARP" profile --format csv --output kept.csv app.cu
hasnt kept.csv before
expect 125 "$DRYWARP" profile --grid 4 app.cu
has err PTX

# A program built before.
"$DRYWARP" nvcc app.cu -o app
expect 5 "$DRYWARP" profile ./app --format json
has out second
expect 5 "$DRYWARP" run ./app x

# A kernel that never ends is stopped, and the program sees an error.
cat >spin.cu <<'CU'
__global__ void spin(volatile int* p) {
  while (*p == 0) {}
}
int main() {
  int* p;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  spin<<<1, 32>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
CU
"$DRYWARP" nvcc spin.cu -o spin  # separately, since the limit includes compiling
expect 3 "$DRYWARP" profile --timeout 2 ./spin
has err spin.cu:2
