# A profile as a file: profile -o, show, query and compare; killed, damaged, foreign and newer files.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <cstdlib>
__global__ void strided(float* a) {
  a[threadIdx.x * STRIDE] = 1;
}
template <int N>
__global__ void fill(float* a) {
  a[threadIdx.x] = N;
}
int main(int argc, char** argv) {
  float* a;
  cudaMalloc(&a, 1 << 16);
  for (int i = 0; i < 3; ++i) strided<<<2, 64>>>(a);
  fill<STRIDE><<<1, 32>>>(a);
  cudaDeviceSynchronize();
  std::puts("the program's own line");
  std::fflush(stdout);
  if (argc > 1 && argv[1][0] == 'k') raise(SIGKILL);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
CU
query() { "$DRYWARP" query "$1" "$2" --format csv 2>&1 | tr '\n' ' '; }

# The report, the program's output and its exit code are those of any profile; the file is one file.
expect 5 "$DRYWARP" profile -DSTRIDE=8 -o before.dwprof app.cu -- 5
has out "the program's own line"
has out "strided"
has err "the profile is in before.dwprof; \`drywarp show before.dwprof\` prints it again"
[[ $(ls) == $'app.cu\nbefore.dwprof\ncache\nerr\nout' ]] || fail "other files were left: $(ls)"
grep -v "the program's own line" out >report.txt
rm app.cu.moved 2>/dev/null || mv app.cu app.cu.moved
expect 0 "$DRYWARP" show before.dwprof
diff out report.txt >err || fail "show prints another report; source lines must come from the file"
mv app.cu.moved app.cu

# show has profile's formats and filters.
expect 0 "$DRYWARP" show before.dwprof --format json
python3 -c 'import json; r = json.load(open("out")); assert r["exit_code"] == 5 and len(r["launches"]) == 4, r' || fail "json"
expect 0 "$DRYWARP" show --kernel strided --launch-skip 1 --launch-count 1 --format csv --metrics gst_transactions before.dwprof
[[ $(wc -l <out) == 2 ]] || fail "the filters of show"
expect 0 "$DRYWARP" show before.dwprof --output report.csv --format csv
has report.csv gst_transactions
expect 125 "$DRYWARP" show --kernel strided_ before.dwprof
has err "launched: strided, fill<8>"
expect 125 "$DRYWARP" show before.dwprof -o other.dwprof
has err "\`drywarp show\` writes reports"
expect 125 "$DRYWARP" profile --query-metrics -o before.dwprof
has err "there is no profile to keep"
expect 125 "$DRYWARP" show
has err "profile is required"

# query
[[ $(query before.dwprof "SELECT exit_code, program FROM command") == "exit_code,program 5,./app 5 " ]] || fail "command"
[[ $(query before.dwprof "SELECT text FROM output") == *"the program's own line"* ]] || fail "output"
[[ $(query before.dwprof "SELECT id FROM device") == "id h200 " ]] || fail "device"
[[ $(query before.dwprof "SELECT count(*) > 100 AS many FROM device_numbers WHERE source != ''") == "many 1 " ]] || fail "numbers"
[[ $(query before.dwprof "SELECT sum(value) AS n FROM metrics WHERE name = 'gst_transactions'") == "n 388 " ]] || fail "metrics"
[[ $(query before.dwprof "SELECT line, text FROM lines WHERE line = 5") == "line,text 5,a[threadIdx.x * STRIDE] = 1; " ]] || fail "lines"
[[ $(query before.dwprof "SELECT text FROM source WHERE line = 8") == *"fill(float* a)"* ]] || fail "source"
[[ $(query before.dwprof "SELECT units, json_array_length(addresses) AS lanes FROM accesses WHERE line = 5") == "units,lanes 32,32 " ]] || fail "accesses"
[[ $(query before.dwprof "SELECT count(*) > 0 AS some FROM stalls JOIN kernels USING (kernel) WHERE line = 5") == "some 1 " ]] || fail "stalls"
expect 0 "$DRYWARP" query before.dwprof
has out "time_share"
expect 125 "$DRYWARP" query before.dwprof "SELECT x FROM kernels"
has err "the query is wrong: no such column: x, at character 8"
expect 125 "$DRYWARP" query before.dwprof "DELETE FROM run"
has err "a query cannot change the profile"
chmod a-w before.dwprof
expect 0 "$DRYWARP" query before.dwprof "SELECT 1"

# compare
expect 0 "$DRYWARP" profile -DSTRIDE=1 -o after.dwprof --format json app.cu
python3 -c 'import json; json.load(open("out"))' || fail "with -o run.dwprof, --format json prints json"
has err "the program's own line"
expect 0 "$DRYWARP" compare before.dwprof after.dwprof
has out "fill<8> -> fill<1>"
has out "better"
has out "gst_efficiency"
has out "app.cu:5"
expect 0 "$DRYWARP" compare before.dwprof after.dwprof after.dwprof --format json --match strided=fill
python3 - <<'PY' || fail "json of compare"
import json
report = json.load(open("out"))
kernels = [[k and (k["name"], k["match"]) for k in row["kernels"]] for row in report["kernels"]]
assert [("strided(float*)", "same name"), ("void fill<1>(float*)", "--match"), ("void fill<1>(float*)", "--match")] in kernels, kernels
PY
expect 0 "$DRYWARP" compare before.dwprof after.dwprof --kernel '^strided' --format csv
has out ',gst_efficiency,%,exact,12.5,100,better'
hasnt out fill
expect 125 "$DRYWARP" compare before.dwprof after.dwprof --kernel stridet
has err "--kernel stridet: no kernel of that name was launched"
expect 125 "$DRYWARP" compare before.dwprof
has err "one profile cannot be compared"
expect 125 "$DRYWARP" compare before.dwprof after.dwprof --match stride=fill
has err "the first profile has no kernel 'stride'"

# A run that was killed leaves a profile of what it did.
expect 137 "$DRYWARP" profile -DSTRIDE=1 -o killed.dwprof app.cu -- k
[[ $(query killed.dwprof "SELECT signal, complete FROM command") == "signal,complete 9,0 " ]] || fail "killed program"
expect 0 "$DRYWARP" show killed.dwprof
has out "strided"
# Neither drywarp nor the program ended: the file as the program wrote it.
cat >endless.cu <<'CU'
#include <unistd.h>
__global__ void once(float* a) { a[threadIdx.x] = 1; }
int main() {
  float* a;
  cudaMalloc(&a, 4096);
  once<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  for (;;) sleep(1);
}
CU
"$DRYWARP" profile -o dead.dwprof endless.cu >out 2>err &
drywarp=$!
for _ in $(seq 300); do
  [[ $(query dead.dwprof "SELECT count(*) AS n FROM launches") == "n 1 " ]] && break
  sleep 0.1
done
kill -9 $drywarp
wait $drywarp || true
expect 0 "$DRYWARP" show dead.dwprof
has out "once"  # it may have been running still
[[ $(query dead.dwprof "SELECT name, complete FROM launches, command") == "name,complete once(float*),0 " ]] || fail "killed drywarp"

# Files that are no profile, damaged, or newer
head -c 3000 before.dwprof >truncated.dwprof
printf 'not SQLite' >text.dwprof
python3 - <<'PY'
import shutil, sqlite3
db = sqlite3.connect("foreign.dwprof"); db.execute("CREATE TABLE t(x)"); db.commit()
shutil.copy("after.dwprof", "newer.dwprof")
db = sqlite3.connect("newer.dwprof"); db.execute("PRAGMA user_version = 1000"); db.commit()
PY
for command in "show" "query" "compare after.dwprof"; do
  expect 125 "$DRYWARP" $command missing.dwprof
  has err "there is no profile missing.dwprof"
  expect 125 "$DRYWARP" $command text.dwprof
  has err "text.dwprof is not a drywarp profile: it is no SQLite file"
  expect 125 "$DRYWARP" $command foreign.dwprof
  has err "foreign.dwprof is not a drywarp profile: it is an SQLite file of another program"
  expect 125 "$DRYWARP" $command newer.dwprof
  has err "newer.dwprof was written by a newer drywarp (format 1000"
  expect 125 "$DRYWARP" $command truncated.dwprof
  has err "truncated.dwprof"
done

# A file that is no profile is never replaced, and nothing runs when the profile could not be written.
for file in text.dwprof foreign.dwprof no_folder/x.dwprof; do
  expect 125 "$DRYWARP" profile -o $file app.cu
  hasnt out "the program's own line"
done
[[ $(cat text.dwprof) == 'not SQLite' ]] || fail "text.dwprof was replaced"

# A program that uses no CUDA leaves an older profile as it was.
sum=$(sha256sum after.dwprof)
printf 'int main() { return 0; }\n' >plain.cu
expect 0 "$DRYWARP" profile -o after.dwprof plain.cu
has err "never used the CUDA runtime"
[[ $(sha256sum after.dwprof) == "$sum" ]] || fail "the older profile changed"
