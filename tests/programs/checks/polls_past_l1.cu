// Loops that wait for other blocks by loads that L2 alone serves (.cg, .cv), with no fence in the loop: ones in which
// blocks wait for later ones, and one whose flag nobody sets. (ptxas drops such loops, so a GPU would not wait.)
// TOOLS: synccheck,racecheck
// FINDS: barrier-deadlock @SPIN
// SAYS: 1 of 8 blocks, (7,0,0), wait: warps 1
// EXPECT-EXIT: 1

// Each block adds to what the block behind it has.
__global__ void chain(int* sums) {
  if (threadIdx.x != 0) return;
  int behind = 1;
  if (blockIdx.x + 1 < gridDim.x)
    while ((behind = __ldcg(sums + blockIdx.x + 1)) == 0) {
    }
  __stcg(sums + blockIdx.x, behind + 1);
}
// The same with a limit, which does not come into play.
__global__ void patient_chain(int* sums) {
  if (threadIdx.x != 0) return;
  int behind = blockIdx.x + 1 < gridDim.x ? 0 : 1;
  for (int tries = 0; behind == 0 && tries < 400000; ++tries) behind = __ldcv(sums + blockIdx.x + 1);
  __stcg(sums + blockIdx.x, behind + 1);
}
__global__ void forgotten(const int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x + 1 == gridDim.x)
    while (__ldcg(flag) == 0) {  // @SPIN
    }
  out[blockIdx.x] = 1;
}

int main() {
  int* sums;
  cudaMalloc(&sums, 64 * sizeof *sums);
  int first = 0;
  for (const auto kernel : {chain, patient_chain}) {
    cudaMemset(sums, 0, 64 * sizeof *sums);
    kernel<<<8, 32>>>(sums);
    cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost);
    if (first != 9) return 2;
  }
  cudaMemset(sums, 0, 64 * sizeof *sums);
  forgotten<<<8, 32>>>(sums + 32, sums);
  return cudaDeviceSynchronize() != cudaSuccess;
}
