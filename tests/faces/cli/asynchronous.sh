# Counts of Hopper's asynchronous instructions, as ncu had them on an H100 for the same work, and that they have a time.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
__device__ unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void wait(unsigned long long& barrier, int parity) {
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void load(float* out, const char* in) {
  __shared__ __align__(128) char memory[4096];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
  __syncthreads();
  for (int i = 0; i < 16; ++i) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(shared_address(&barrier)) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(
                       shared_address(memory)), "l"(in + i * 4096), "r"(shared_address(&barrier)) : "memory");
    }
    wait(barrier, i % 2);
  }
  out[threadIdx.x] = ((float*)memory)[threadIdx.x];
}
extern "C" __global__ void store(float* out, char* to) {
  __shared__ __align__(128) float memory[1024];
  memory[threadIdx.x] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 16; ++i) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(to + i * 4096),
                   "r"(shared_address(memory)) : "memory");
      asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void multiply(float* out) {
  __shared__ __align__(1024) char memory[2 * 64 * 128];
  for (int i = threadIdx.x; i < sizeof memory / 4; i += 128) ((int*)memory)[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4] = {};
  const unsigned at = shared_address(memory);
  const unsigned long long a = (at >> 4) | 64ull << 32 | 1ull << 62, b = ((at + 8192) >> 4) | 64ull << 32 | 1ull << 62;
  for (int i = 0; i < 100; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
CU
expect 0 "$DRYWARP" nvcc -O2 -arch=sm_90a -ptx k.cu

# metrics KERNEL BLOCK ARGUMENTS...: what it printed is in the file `metrics`, a line a metric
metrics() {
  local kernel=$1 block=$2
  shift 2
  expect 0 "$DRYWARP" profile k.ptx --entry "$kernel" --device h100 --grid 1 --block "$block" --time "$@" --format json \
    --output report.json
  python3 - >metrics <<'PY'
import json
for name, entry in json.load(open("report.json"))["launches"][0]["metrics"].items():
    if entry["value"] is not None:
        print(f"{name} {round(entry['value'])}.")
PY
}
metrics load 32 --arg buf:4096 --arg buf:65536
has metrics "l1tex__m_xbar2l1tex_read_sectors_pipe_tma.sum 2048."
has metrics "sm__inst_executed_pipe_tma.sum 16."
cycles=$(sed -n 's/^sm__cycles_elapsed.max \([0-9]*\)\.$/\1/p' metrics)
((cycles > 4000 + 16 * 350 && cycles < 4000 + 16 * 1500)) || fail "16 copies one after the other took $cycles cycles"

metrics store 1024 --arg buf:4096 --arg buf:65536
has metrics "l1tex__m_l1tex2xbar_write_sectors_pipe_tma.sum 2048."
has metrics "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum 2048."
has metrics "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum 0."
has metrics "sm__inst_executed_pipe_tma.sum 32."

# 16 wavefronts of a and 2 of b; 66 cycles from the fence to the end of the wait.
metrics multiply 128 --arg buf:4096
has metrics "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum 1800."
has metrics "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum 0."
has metrics "sm__inst_executed_pipe_tensor.sum 400."
cycles=$(sed -n 's/^sm__cycles_elapsed.max \([0-9]*\)\.$/\1/p' metrics)
((cycles > 4000 + 100 * 60 && cycles < 5500 + 100 * 90)) || fail "100 products one after the other took $cycles cycles"
