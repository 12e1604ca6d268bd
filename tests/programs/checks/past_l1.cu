// Accesses that L2 alone caches (.cg) hand values from block to block, as the scans of Thrust and CUB 1.17 do: they are
// no race with each other, and with fences they order what else the blocks access. With plain accesses they race.
// TOOLS: racecheck
// FINDS: read-write @PLAIN @LOOK
// FINDS: read-write @DATA @TAKE
using Word = unsigned long long;

// Each block adds to what the block before it has.
__global__ void chain(Word* sums) {
  if (threadIdx.x != 0) return;
  Word before = 1;
  if (blockIdx.x > 0)
    while ((before = __ldcg(sums + blockIdx.x - 1)) == 0) __threadfence_block();
  __stcg(sums + blockIdx.x, before + 1);
}
__global__ void hand_on(int* data, Word* flags, int* out) {
  if (threadIdx.x != 0) return;
  data[blockIdx.x] = 3 * blockIdx.x;
  __threadfence();
  __stcg(flags + blockIdx.x, Word{1});
  if (blockIdx.x == 0) return;
  while (__ldcg(flags + blockIdx.x - 1) == 0) __threadfence_block();
  __threadfence();
  out[blockIdx.x] = data[blockIdx.x - 1];
}

__global__ void plain(Word* sums, Word* out) {
  if (blockIdx.x == 0)
    sums[threadIdx.x] = 1;  // @PLAIN
  else
    out[threadIdx.x] = __ldcg(sums + threadIdx.x);  // @LOOK
}
__global__ void unfenced(int* data, Word* flags, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 5;  // @DATA
    __stcg(flags, Word{1});
  } else {
    while (__ldcg(flags) == 0) __threadfence_block();
    out[0] = data[0];  // @TAKE
  }
}

int main() {
  Word *words, *out;
  int *data, *taken;
  cudaMalloc(&words, 64 * sizeof *words);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMalloc(&data, 64 * sizeof *data);
  cudaMalloc(&taken, 64 * sizeof *taken);
  const auto clear = [&] { cudaMemset(words, 0, 64 * sizeof *words); };
  clear();
  chain<<<8, 32>>>(words);
  Word last = 0;
  cudaMemcpy(&last, words + 7, sizeof last, cudaMemcpyDeviceToHost);
  if (last != 9) return 1;
  clear();
  hand_on<<<8, 32>>>(data, words, taken);
  plain<<<2, 32>>>(words, out);
  clear();
  unfenced<<<2, 32>>>(data, words, taken);
  return cudaDeviceSynchronize() != cudaSuccess;
}
