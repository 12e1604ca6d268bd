# `drywarp devices` and `drywarp latency`, and --device everywhere.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" devices
for file in "$SOURCE"/devices/*.toml; do
  device=$(basename "$file" .toml)
  grep -q "^$device " out || fail "$device is not listed"
done
grep -Eq "^h200 +NVIDIA H200 +9.0 +132 +1980 +3201 +139.8 GB +4800 +60 MB +-$" out || fail "the H200's cells are not its columns'"

expect 0 "$DRYWARP" devices "NVIDIA H200"
has out "compute capability 9.0"
has out "latency_far"
has out "[latency]"
has out "measured: drywarp calibrate on the device"
expect 0 "$DRYWARP" devices "GTX 970"
has out "inherits cc52"
has out "specification: GeForce GTX 970 specifications"

expect 0 "$DRYWARP" devices --format json
python3 - "$SOURCE"/devices/*.toml <<'PY' || fail "unexpected JSON"
import json, pathlib, sys
devices = {d["id"]: d for d in json.load(open("out"))["devices"]}
assert set(devices) == {pathlib.Path(f).stem for f in sys.argv[1:]}, devices.keys()
lacks = devices["h200"]["lacks"]
assert lacks == {f: [] for f in lacks}, devices["h200"]
assert devices["h200"]["stand_ins"] == {}, devices["h200"]
matrices = ["latency.matrix", "latency.matrix_short", "latency.matrix_small"]  # not known of Volta
assert devices["v100"]["lacks"]["timing"] == matrices, devices["v100"]
assert devices["v100"]["stand_ins"]["latency.convert"] == "latency.transcendental", devices["v100"]
assert "latency.redux" not in devices["v100"]["stand_ins"], "Volta has no redux"
assert "l1.bytes_per_cycle" in devices["rtx5090"]["lacks"]["memory model"], devices["rtx5090"]
assert devices["v100"]["multiprocessors"] == 80 and devices["v100"]["compute_capability"] == "7.0"
PY
expect 0 "$DRYWARP" devices v100 --format json
python3 - <<'PY' || fail "unexpected JSON"
import json
d = json.load(open("out"))
assert d["based_on"] == "cc70", d["based_on"]
number = d["numbers"]["latency.fma_f32"]
assert number["value"] == 4 and number["unit"] == "cycles" and number["kind"] == "published" and "Arafa" in number["source"], number
assert d["numbers"]["multiprocessor.shared_carveouts"]["value"] == [0, 8192, 16384, 32768, 65536, 98304]
assert d["numbers"]["l1.unified"]["value"] is True
PY

# Names, and wrong ones.
expect 125 "$DRYWARP" devices gtx1090
has err "did you mean gtx1080"
expect 125 "$DRYWARP" latency --device voodoo2
has err "there is no device 'voodoo2'"

# A device file of one's own: inherits from a compute capability, and errors have a location.
cp "$SOURCE/tests/faces/cli/rtx4070.toml" mine.toml
expect 0 "$DRYWARP" devices mine.toml
has out "NVIDIA GeForce RTX 4070 (mine): Ada Lovelace, compute capability 8.9, inherits cc89"
sed -i 's/= 46/= "many"/' mine.toml
expect 125 "$DRYWARP" devices mine.toml
has err "mine.toml:14:"
has err "attributes.MultiProcessorCount"
sed -i 's/= "many"/= 46/; s/^L2CacheSize.*/L2CacheSise = 1/' mine.toml
expect 125 "$DRYWARP" devices mine.toml
has err "attributes.L2CacheSize"

# The course's example, to the digit: from the GTX 970's file, and by options for any device.
expect 0 "$DRYWARP" latency --device "GTX 970"
has out "4 schedulers x 20 cycles = 80 warps a multiprocessor, x 13 = 1040 warps"
has out "196 GB/s / 3.6 GHz = 54 B/cycle, x 350 cycles = 18900 B in flight,"
has out "/ 4 B a thread = 4725 threads, / 32 = 148 warps, / 13 multiprocessors = 12 warps each"
expect 0 "$DRYWARP" latency --device gtx970 --arithmetic-latency 20 --memory-latency 350 --bandwidth 196 --clock 3600 --format json
python3 - <<'PY' || fail "not the course's figures"
import json
hiding = json.load(open("out"))["hiding"]
assert hiding["arithmetic"]["warps_per_multiprocessor"] == 80 and hiding["arithmetic"]["warps"] == 1040, hiding
memory = hiding["memory"]
figures = [memory[k] for k in ("bytes_per_cycle", "bytes_in_flight", "threads", "warps", "warps_per_multiprocessor")]
assert figures == [54, 18900, 4725, 148, 12], figures
PY
expect 0 "$DRYWARP" latency
has out "4800 GB/s / 1.98 GHz = 2424 B/cycle, x 685 cycles = 1660440 B in flight,"
# A column of the course's table.
expect 0 "$DRYWARP" latency --device "GTX 680"
grep -Eq "DIV +141 +published" out || fail "the GK104's division"
grep -Eq "global, local: DRAM +300 +published" out || fail "the GK104's DRAM"
# Unpublished numbers are named, with the file, and can be given as options.
sed '/^latency = .*mt4g/d' "$SOURCE/devices/t4.toml" >measured_less.toml
expect 125 "$DRYWARP" latency --device measured_less.toml
has err "Tesla T4 (measured_less) does not have: dram.latency"
expect 0 "$DRYWARP" latency --device measured_less.toml --memory-latency 500 --occupancy 25
has out "25 % occupancy is 8 warps a multiprocessor: too few for arithmetic"

# A program's kernels on the device given; the program sees that device too.
cat >app.cu <<'CU'
#include <cstdio>
__global__ void scale(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("on %s: %d.%d, %d multiprocessors, %d KB L2, %zu MB\n", p.name, p.major, p.minor, p.multiProcessorCount,
              p.l2CacheSize / 1024, p.totalGlobalMem >> 20);
  float* a;
  cudaMalloc(&a, 1 << 20);
  scale<<<20, 64>>>(a);
  scale<<<1024, 256>>>(a);
  return cudaDeviceSynchronize();
}
CU
expect 0 "$DRYWARP" latency --device p100 app.cu
has err "on Tesla P100-SXM2-16GB: 6.0, 56 multiprocessors, 4096 KB L2, 16384 MB"
has out "1 launch of 20x1x1 blocks of 64x1x1 threads"
has out "present   0.7 warps a multiprocessor"
has out "the grid is too small to fill them"
has out "% of the latency is hidden"
has out "latency is hidden:"
# A kept profile, on a device other than its own.
expect 0 "$DRYWARP" nvcc -o app app.cu
expect 0 env DRYWARP_PROFILE="$PWD/kept" DRYWARP_COUNTERS=1 ./app
expect 0 "$DRYWARP" latency kept --device a100
has out "Warps that hide latency on NVIDIA A100-SXM4-40GB"
has out "1 launch of 1024x1x1 blocks of 256x1x1 threads"
expect 127 "$DRYWARP" latency kept nonsense
has err "nonsense"
expect 0 "$DRYWARP" profile --device v100 app.cu
has out "on Tesla V100-SXM2-16GB: 7.0, 80 multiprocessors"
has out "./app on Tesla V100-SXM2-16GB"
expect 0 "$DRYWARP" run --device "RTX 4090" app.cu
has out "on NVIDIA GeForce RTX 4090: 8.9, 128 multiprocessors, 73728 KB L2, 24576 MB"
expect 0 "$DRYWARP" run --device "GTX 280" app.cu
has out "on GeForce GTX 280: 1.3, 30 multiprocessors, 0 KB L2"
expect 125 "$DRYWARP" run --device gtx960 app.cu
has err "there is no device 'gtx960'"

# Several devices side by side: the course's four generations.
expect 0 "$DRYWARP" devices gtx280 gtx480 gtx680 gtx750ti
has out "                       gtx280  gtx480  gtx680  gtx750ti"
has out "  threads an SM          1024    1536    2048      2048"
has out "  DIV              608     286     141       210"
has out "  global, local: DRAM                    440     685     300       350"
has out "  for arithmetic      24      32      36        24"
expect 0 "$DRYWARP" devices gtx480 h200 --format json
python3 -c 'import json; d = json.load(open("out"))["devices"]; assert [x["id"] for x in d] == ["gtx480", "h200"], d' || fail "JSON of two"
expect 125 "$DRYWARP" devices gtx480 nonesuch
has err "there is no device 'nonesuch'"
