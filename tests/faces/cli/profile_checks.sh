# drywarp profile --check: findings as a part of the profile, in every report and in the kept file; the numbers stay.
source "$(dirname "$0")/common.sh"

cat >c.cu <<'CUDA'
__global__ void reverse(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = t;            // STORE
  out[t] = s[63 - t];
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  reverse<<<4, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
place="c.cu:$(grep -n '// STORE' c.cu | cut -d: -f1)"

# The answer first: the findings, and the exit code of check.
expect 123 "$DRYWARP" profile --check c.cu
has out "!! error: read-write race at $place in reverse"
has out "memcheck, racecheck, initcheck, synccheck: 1 problem in 1 launch, 1 note"
expect 123 "$DRYWARP" profile --check=racecheck --details c.cu
has out "racecheck: 1 problem in 1 launch"
has out "and a read of the same bytes, which nothing orders"
expect 0 "$DRYWARP" profile --check=memcheck,synccheck c.cu
has out "memcheck, synccheck: no problem in 1 launch"
expect 123 "$DRYWARP" profile --check --format markdown c.cu
has out "**error: read-write race** at $place"

# Counts and modelled times are those without it.
expect 0 "$DRYWARP" profile --format json -o without.json c.cu
expect 123 "$DRYWARP" profile --check --format json -o with.json c.cu
python3 - <<'PY'
import json
def numbers(name):
    report = json.load(open(name))
    return report["checks"], [(k["name"], k["time"], k["totals"], k["lines"]) for k in report["kernels"]]
before, counts = numbers("without.json")
after, checked_counts = numbers("with.json")
assert before is None, before
assert after["problems"] == 1 and after["tools"] == ["memcheck", "racecheck", "initcheck", "synccheck"], after
assert counts == checked_counts, "the numbers changed"
PY

# A kept profile has them: its report, its tables, the document of the page.
expect 123 "$DRYWARP" profile --check -o run.dwprof c.cu
expect 0 "$DRYWARP" show run.dwprof
has out "!! error: read-write race at $place in reverse"
expect 0 "$DRYWARP" query run.dwprof "SELECT kind, line, suppressed FROM findings ORDER BY kind"
has out "read-write"
expect 0 "$DRYWARP" report run.dwprof --format json -o document.json
python3 - <<'PY'
import json
(profile,) = json.load(open("document.json"))["profiles"]
assert profile["checks"]["problems"] == 1, profile["checks"]
PY
expect 0 "$DRYWARP" profile -o unchecked.dwprof c.cu
expect 0 "$DRYWARP" query unchecked.dwprof "SELECT count(*) FROM findings"
expect 0 "$DRYWARP" show unchecked.dwprof
hasnt out "Checks"

# Suppressed, kept with the reason.
cat >known.toml <<'TOML'
[[allow]]
tool = "racecheck"
reason = "as meant"
TOML
expect 0 "$DRYWARP" profile --check --suppressions known.toml -o run.dwprof c.cu
expect 0 "$DRYWARP" show --format json run.dwprof
python3 - <<'PY'
import json
checks = json.load(open("out"))["checks"]
assert checks["problems"] == 0 and all(f["suppression"]["reason"] == "as meant" for f in checks["suppressed"]), checks
assert len(checks["suppressed"]) == 2, checks
PY

# The program's own failure goes first; what has no meaning is refused.
sed 's/!= cudaSuccess/+ 4/' c.cu >fails.cu
expect 4 "$DRYWARP" profile --check fails.cu
expect 125 "$DRYWARP" profile --check=nonsense c.cu
has err "--check nonsense: there is no such tool"
expect 125 "$DRYWARP" profile --suppressions known.toml c.cu
has err "options of suppressions are for --check"
expect 125 "$DRYWARP" profile --check --no-counters c.cu
