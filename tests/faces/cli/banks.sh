# Shared-memory banks by device: counts, the bank size that a program sets, and drawings.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>

// A tile's columns: rows of 32 floats, or of 33.
template <int Padding>
__global__ void columns(float* out, const float* in) {
  __shared__ float tile[32][32 + Padding];
  for (int y = threadIdx.y; y < 32; y += 16) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // read
}
// Every other double.
__global__ void doubles(double* out) {
  __shared__ double values[1024];
  values[2 * threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x];
}
// Words 0 and 32, or 32 and 64, in turns: in one row of Kepler's banks or in two.
__global__ void rows(int* out, int first) {
  __shared__ int words[128];
  words[threadIdx.x * 4] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = words[first + threadIdx.x % 2 * 32];
}
int main(int argc, char**) {
  if (argc > 1) cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
  if (argc > 2) cudaFuncSetSharedMemConfig((const void*)rows, cudaSharedMemBankSizeFourByte);
  cudaSharedMemConfig config;
  cudaDeviceGetSharedMemConfig(&config);
  std::printf("banks of %d bytes\n", config == cudaSharedMemBankSizeEightByte ? 8 : 4);
  float *a, *b;
  cudaMalloc(&a, 1 << 16);
  cudaMalloc(&b, 1 << 16);
  columns<0><<<1, dim3(32, 16)>>>(b, a);
  columns<1><<<1, dim3(32, 16)>>>(b, a);
  doubles<<<1, 32>>>((double*)b);
  rows<<<1, 32>>>((int*)b, 0);
  rows<<<1, 32>>>((int*)b, 32);
  return cudaDeviceSynchronize();
}
CU

# wavefronts DEVICE "COLUMNS PADDED DOUBLES ROWS ROWS" [arguments]: the wavefronts of the loads of each launch.
wavefronts() {
  expect 0 "$DRYWARP" profile --device "$1" --time off --format json --output counts.json app.cu -- ${3:-}
  python3 - "$1" "$2" <<'PY' || fail "other wavefronts on $1 ${3:-}"
import json, sys
launches = json.load(open("counts.json"))["launches"]
got = [int(l["metrics"]["shared_load_transactions"]["value"]) for l in launches]
assert got == [int(n) for n in sys.argv[2].split()], (sys.argv[1], got)
PY
}
#                  16 warps' loads of a column; doubles; two words
wavefronts h200   "512 16 4 2 2"
has out "banks of 4 bytes"
wavefronts gtx480 "512 16 4 2 2"
wavefronts k40    "256 16 2 1 2"
has out "banks of 4 bytes"
wavefronts gtx280 "512 32 16 4 4"
# cudaDeviceSetSharedMemConfig matters where banks have 8 bytes; cudaFuncSetSharedMemConfig takes precedence.
wavefronts k40    "256 24 2 1 1" eight  # rows of 33 words: two lanes of an odd column share a bank
has out "banks of 8 bytes"
wavefronts k40    "256 24 2 1 2" "eight four"
wavefronts h200   "512 16 4 2 2" eight
has out "banks of 4 bytes"

# The drawing of a source line follows the device.
line=$(grep -n "// read" app.cu | cut -d: -f1)
expect 0 "$DRYWARP" explain access "app.cu:$line" --device k40
has out "16-way"
has out "wavefronts a request  16.00; 1.00 would do"
hasnt out "32 wavefronts"
expect 0 "$DRYWARP" explain access "app.cu:$line" --device h200
has out "32-way"
expect 0 "$DRYWARP" explain banks --stride 32 --device k40
has out "16-way conflict: 16 wavefronts, 1 without conflicts"
has out "32 banks of 8 bytes, each two words of 4 bytes, 32 words apart"
expect 0 "$DRYWARP" explain banks --stride 2 --bytes 4 --device k40 --eight-byte-banks
has out "No conflict: 1 wavefront"
expect 0 "$DRYWARP" explain banks --stride 1 --bytes 8 --device gtx280 --format json
python3 - <<'PY' || fail "not GT200's turns"
import json
found = json.load(open("out"))
assert found["device"] == {"name": "GeForce GTX 280", "banks": 16, "bank_bytes": 4, "word_bytes": 4}, found["device"]
assert [t["wavefronts"] for t in found["warp"]["turns"]] == [2, 2, 2, 2], found["warp"]
PY

# The report names counts that are not modelled for older devices.
expect 0 "$DRYWARP" profile --details --device gtx480 --time off app.cu
has out "Sectors are of 32 bytes, but this GPU moves global and local"
expect 0 "$DRYWARP" profile --details --device k40 --time off app.cu
hasnt out "Sectors are of 32 bytes"
