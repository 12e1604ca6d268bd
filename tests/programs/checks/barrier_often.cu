// A barrier of the grid that a program writes itself, passed so often that it takes seconds: blocks of one thread, each of
// which waits whenever others run. That is no deadlock; one that a block leaves early is.
// TOOLS: synccheck
// FINDS: barrier-deadlock @SPIN
// SAYS: 1 of 4 blocks, (2,0,0), has ended
// EXPECT-EXIT: 1
constexpr int BLOCKS = 4, ROUNDS = 100000;

struct Barrier {
  unsigned count;
  volatile unsigned round;
};

__global__ void meet(Barrier* b, int least) {
  for (int round = 0; round < least + (blockIdx.x == 2 ? 0 : least % 2); ++round) {
    __threadfence();
    const unsigned before = b->round;
    if (atomicAdd(&b->count, 1) == gridDim.x - 1) {
      b->count = 0;
      __threadfence();
      b->round = before + 1;
    } else {
      while (b->round == before) {  // @SPIN
      }
    }
    __threadfence();
  }
}

int main() {
  Barrier* b;
  cudaMalloc(&b, sizeof *b);
  cudaMemset(b, 0, sizeof *b);
  meet<<<BLOCKS, 1>>>(b, ROUNDS);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  meet<<<BLOCKS, 1>>>(b, ROUNDS + 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
