# `drywarp occupancy`: from options, from PTX, from a program with and without running it.
source "$(dirname "$0")/common.sh"

# The course's examples (GTX 970; Fermi).
expect 0 "$DRYWARP" occupancy --device gtx970 --block 128 --registers 48 --shared 4096
has out "10 blocks an SM, 40 of 64 warps: 62.5 % occupancy, limited by registers"
has out "48 a thread, 1536 a warp"
has out "42.67 warps"
expect 0 "$DRYWARP" occupancy --device gtx480 --block 512 --registers 16 --no-sweeps
has out "3 blocks an SM"
hasnt out "warps an SM by"
expect 0 "$DRYWARP" occupancy --device gtx480 --block 128 --registers 16
has out "8 blocks an SM, 32 of 48 warps: 66.67 % occupancy, limited by blocks"

# Charts follow the locale.
expect 0 env LC_ALL=C "$DRYWARP" occupancy --block 128 --registers 48
has out "|#"
hasnt out "█"
expect 0 env LC_ALL=C.UTF-8 "$DRYWARP" occupancy --block 128 --registers 48
has out "█"
expect 0 env LC_ALL=C.UTF-8 "$DRYWARP" occupancy --block 128 --registers 48 --ascii
hasnt out "█"

expect 0 "$DRYWARP" occupancy --block 16x16 --registers 40 --shared 16K --dynamic-shared 1K --carveout 50 --grid 64x64 \
  --format csv
has out '"NVIDIA H200","",,256,40,16384,1024,6,48,75,"registers",8,32,6,7,64,command line,4096,'
[[ $(wc -l <out) == 2 ]] || fail "csv has more than a header and a row"
expect 0 "$DRYWARP" occupancy --registers 40 --format json --sweeps
has out '"block_is_suggested": true'
has out '"sweeps"'

cat >k.cu <<'CU'
#include <cstdio>
__global__ void tile(float* out) {
  __shared__ float buffer[1024];
  buffer[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(128) bounded(float* out) { out[threadIdx.x] = 1; }
int main(int argc, char**) {
  float* out;
  cudaMalloc(&out, 4096 * sizeof(float));
  for (int i = 0; i < 3; ++i) tile<<<1000, 256>>>(out);
  tile<<<10 * argc, 512, 2048>>>(out);
  cudaDeviceSynchronize();
  puts("done");
}
CU
# Not run: kernels with registers and shared memory, and a suggested block size.
expect 0 "$DRYWARP" occupancy --no-run k.cu
hasnt out done
has out "registers a thread (estimate), 4 KB static shared"
has out "at most 128 threads a block"
has out "no size given"
expect 0 "$DRYWARP" occupancy k.cu --block 64 --kernel bounded --format json
hasnt out tile
has out '"threads_per_block": 64'
# Run: its launches.
expect 0 "$DRYWARP" occupancy k.cu -- more
has out done
has out "block (256, 1, 1), 3 launches"
has out "block (512, 1, 1), 2 KB dynamic shared, 1 launch"
has out "1000 blocks"
has out "20 blocks"
has out "bounded(float*)"
expect 0 "$DRYWARP" nvcc k.cu -o k
expect 0 "$DRYWARP" occupancy ./k
has out "10 blocks"
expect 0 "$DRYWARP" nvcc -ptx k.cu
expect 0 "$DRYWARP" occupancy k.ptx --block 256
has out "tile(float*)"

# A real compiler's numbers take precedence over the estimate, here and in a profile.
cat >info.txt <<'TXT'
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_90'
ptxas info    : Function properties for _Z4tilePf
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 77 registers, used 1 barriers, 4096 bytes smem
TXT
expect 0 "$DRYWARP" occupancy k.ptx --block 256 --ptxas-info info.txt
has out "77 registers a thread (from ptxas-info), 4 KB static shared, 16 bytes local a thread, spills: 12 bytes stored, 20 loaded"
expect 0 "$DRYWARP" occupancy k.cu --ptxas-info info.txt
has out "77 registers a thread (from ptxas-info)"
expect 0 "$DRYWARP" profile k.cu --ptxas-info info.txt --format json
has out '"registers":77'
has out '"registers_from":"ptxas-info"'
has out '"launch__registers_per_thread":{"value":77,"unit":"register","class":"exact"}'
# The timing model's resident blocks follow from 77 registers, not from the estimate.
has out '"launch__occupancy_limit_registers":{"value":3,'
expect 0 "$DRYWARP" profile --details k.cu --ptxas-info info.txt
unwrapped out >flat
has flat ", 77 registers a thread (from ptxas-info)"
expect 125 "$DRYWARP" occupancy k.cu --cubin info.missing
has err "cannot read"
expect 125 "$DRYWARP" profile k.cu --cubin k.cu
has err "no kernel in this text"

expect 0 "$DRYWARP" occupancy --device gtx480 --block 128 --no-sweeps
has out "192 threads a block reach full occupancy (8 blocks, 48 warps); fewer do not"
expect 0 "$DRYWARP" occupancy --device gtx970 --block 128 --registers 48 --no-sweeps
has out "reach 62.5 %, the most possible here"
expect 0 "$DRYWARP" occupancy --device gtx480 --block 128 --format json
python3 -c 'import json; a = json.load(open("out")); assert "\"threads_per_block\": 192" in open("out").read()' || fail "smallest block"

expect 125 "$DRYWARP" occupancy
has err "nothing to compute"
expect 125 "$DRYWARP" occupancy --block 0 --registers 3
# An impossible launch is an error that names the device's limit, before a program is run.
refused() {
  expect 125 "$DRYWARP" occupancy "${@:2}"
  has err "$1"
  hasnt out "%"
}
refused "a block of the NVIDIA H200 has 1 to 1024 threads" --block 2000
refused "a block of the NVIDIA H200 has 1 to 1024 threads" --block 64x64 k.cu
hasnt out done
refused "the NVIDIA H200 takes at most 1024x1024x64" --block 1x1x65
refused "the NVIDIA H200 takes at most 2147483647x65535x65535" --block 64 --grid 1x65536
refused "a thread of the NVIDIA H200 has at most 255" --block 64 --registers 256
refused "a thread of the GeForce GTX 480 has at most 63" --device gtx480 --registers 64
refused "a block of the NVIDIA H200 has at most 65536 registers" --block 1024 --registers 65
refused "a block of the NVIDIA H200 has at most 232448" --block 64 --shared 228K
refused "a block of the NVIDIA H200 has at most 232448" --shared 200K --dynamic-shared 100K
expect 0 "$DRYWARP" occupancy --block 1024 --registers 64 --shared 227K --no-sweeps
has out "1 block an SM"
expect 125 "$DRYWARP" occupancy --block 64 --device nothing
expect 127 "$DRYWARP" occupancy missing.cu
