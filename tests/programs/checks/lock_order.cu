// Two blocks take two locks in opposite order: each waits for the other one's, in loops that do more than wait.
// TOOLS: synccheck
// FINDS: barrier-deadlock @FIRST
// SAYS: 2 of 2 blocks, (0,0,0) (1,0,0), wait
// EXPECT-EXIT: 1
__global__ void locks(int* lock, volatile int* taken) {
  if (threadIdx.x != 0) return;
  int *mine = lock + blockIdx.x, *other = lock + 1 - blockIdx.x;
  atomicExch(mine, 1);
  taken[blockIdx.x] = 1;
  while (taken[1 - blockIdx.x] == 0) {
  }
  while (atomicCAS(other, 0, 1) != 0) {  // @FIRST
  }
  atomicExch(other, 0);
  atomicExch(mine, 0);
}

int main() {
  int *lock, *taken;
  cudaMalloc(&lock, 2 * sizeof(int));
  cudaMalloc(&taken, 2 * sizeof(int));
  cudaMemset(lock, 0, 2 * sizeof(int));
  cudaMemset(taken, 0, 2 * sizeof(int));
  locks<<<2, 32>>>(lock, taken);
  return cudaDeviceSynchronize() != cudaSuccess;
}
