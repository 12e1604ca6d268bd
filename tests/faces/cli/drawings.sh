# What drawings show, in kept profiles: a launch of every timed kernel, the same in every run.
source "$(dirname "$0")/common.sh"

query() { python3 -c 'import sqlite3, sys; print(*[" ".join(map(str, r)) for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])], sep="\n")' "$1" "$2"; }

# Each timed kernel of a real program has one drawn launch.
expect 0 "$DRYWARP" profile -o reduction.dwprof "$SOURCE/examples/reduction.cu"
timed=$(query reduction.dwprof "SELECT DISTINCT kernel FROM launch WHERE time != 0 ORDER BY 1")
[[ $(query reduction.dwprof "SELECT kernel FROM drawn ORDER BY 1") == "$timed" ]] || fail "kernels without a drawing"
[[ $(wc -l <<<"$timed") -gt 5 ]] || fail "reduction.cu has more kernels than $timed"
[[ $(query reduction.dwprof "SELECT count(*) FROM drawn JOIN launch ON drawn.launch = launch.id WHERE drawn.kernel != launch.kernel") == 0 ]] ||
  fail "a drawing of another kernel's launch"
[[ $(query reduction.dwprof "SELECT count(*) FROM sample") -gt 5 ]] || fail "no accesses to draw"
[[ $(query reduction.dwprof "SELECT max(length(code) + length(timeline) + length(steps)) < 200000 FROM drawn") == 1 ]] || fail "large drawings"
expect 0 "$DRYWARP" show reduction.dwprof

# Of equal launches the first is drawn; of longer ones, one that is about the longest.
cat >grows.cu <<'CU'
__global__ void work(float* a, int n) {
  for (int i = 0; i < n; ++i) a[threadIdx.x + i] += 1;
}
int main() {
  float* a;
  cudaMalloc(&a, 1 << 20);
  for (int n : {10, 10, 300, 301, 300, 10}) work<<<4, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
CU
expect 0 "$DRYWARP" profile -o grows.dwprof grows.cu
[[ $(query grows.dwprof "SELECT kernel, launch FROM drawn") == "0 3" ]] || fail "the drawn launch: $(query grows.dwprof "SELECT kernel, launch FROM drawn")"

# Times from the cache give the same drawings, whether the cache has those or not.
blobs="SELECT kernel, launch, hex(code), hex(timeline), hex(steps) FROM drawn ORDER BY kernel"
query grows.dwprof "$blobs" >cold.txt
[[ -n $(find cache -name '*.timeline') ]] || fail "no cached timelines"
expect 0 "$DRYWARP" profile -o warm.dwprof grows.cu
query warm.dwprof "$blobs" | cmp - cold.txt || fail "the cache changes drawings"
find cache -name '*.timeline' -delete
expect 0 "$DRYWARP" profile -o times.dwprof grows.cu
query times.dwprof "$blobs" | cmp - cold.txt || fail "the cache of times changes drawings"

# Without times there is nothing to draw.
expect 0 "$DRYWARP" profile --time off -o untimed.dwprof grows.cu
[[ $(query untimed.dwprof "SELECT count(*) FROM drawn") == 0 ]] || fail "a drawing without a time"

# A damaged drawing is an error that names the file.
python3 -c 'import sqlite3; db = sqlite3.connect("grows.dwprof"); db.execute("UPDATE drawn SET timeline = zeroblob(99)"); db.commit()'
expect 125 "$DRYWARP" show grows.dwprof
has err "grows.dwprof is damaged"
