// Latency and issue rate of instructions. Latency: one warp runs a chain of dependent instructions. Issue rate: enough
// warps run independent chains to fill the pipe of every sub-partition. Operands come from memory, so that nothing is
// folded. The fit checks that the machine code has the intended instructions.
#include "bench.h"

namespace {

// One step of a chain: `a` is passed on, k and m are constant operands. kCount: instructions a step.
#define OPERATION(name, type, count, text)                                       \
  struct name {                                                                  \
    using Type = type;                                                           \
    static constexpr int kCount = count;                                         \
    static __device__ void step(Type& a, Type k, Type m) { asm volatile(text : CONSTRAINT(type)(a) : INPUT(type)(k), INPUT(type)(m)); } \
  };
#define CONSTRAINT(type) CONSTRAINT_##type
#define INPUT(type) INPUT_##type
#define CONSTRAINT_uint32_t "+r"
#define CONSTRAINT_uint64_t "+l"
#define CONSTRAINT_float "+f"
#define CONSTRAINT_double "+d"
#define INPUT_uint32_t "r"
#define INPUT_uint64_t "l"
#define INPUT_float "f"
#define INPUT_double "d"

#include "operations.inc"

template <class Op, int kSteps>
__global__ void chain(typename Op::Type* in, uint64_t* times, int rounds) {
  typename Op::Type a = in[threadIdx.x], k = in[32], m = in[33];
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) Op::step(a, k, m);
    }
    const uint64_t end = now();
    times[0] = end - begin;
  }
  in[64 + threadIdx.x] = a;
}

// Every round ends with a barrier: schedulers are not fair, and a single late warp cannot fill a pipe. The cost of the
// barrier and the loop cancels in the difference of two lengths.
template <class Op, int kSteps>
__global__ void __launch_bounds__(1024) flood(typename Op::Type* in, uint64_t* times, int rounds) {
  // Different in every lane, because uniform values may use the uniform datapath.
  const int lane = threadIdx.x & 31;
  typename Op::Type a = in[lane], b = in[lane ^ 1], c = in[lane ^ 2], d = in[lane ^ 3], k = in[32], m = in[33];
  for (int warm = 0; warm < 2; ++warm) {
    __syncthreads();
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        Op::step(a, k, m);
        Op::step(b, k, m);
        Op::step(c, k, m);
        Op::step(d, k, m);
      }
      __syncthreads();
    }
    const uint64_t end = now();
    if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  }
  in[64 + lane] = a;
  in[96 + lane] = b;
  in[128 + lane] = c;
  in[160 + lane] = d;
}

template <class Launch>
double cycles(const Buffer<uint64_t>& times, Launch launch) {
  double best = 1e30;
  for (int i = 0; i < 3; ++i) {
    launch();
    CHECK(cudaDeviceSynchronize());
    best = std::min(best, block_cycles(times.host()));
  }
  return best;
}

template <class Op>
void measure(const char* name) {
  using T = typename Op::Type;
  Buffer<T> in(192);
  std::vector<T> operands(128);
  for (int i = 0; i < 128; ++i) operands[i] = T(1.0009765625 * (i + 3));
  operands[32] = T(1) + T(0.25), operands[33] = T(3) + T(0.5);
  CHECK(cudaMemcpy(in.data, operands.data(), 128 * sizeof(T), cudaMemcpyHostToDevice));

  Buffer<uint64_t> alone(1);
  // The difference of two unrolled lengths cancels the loop's own instructions.
  constexpr int kShort = 32, kLong = 160, kRounds = 16;
  double times[2] = {1e30, 1e30};
  for (int i = 0; i < 3; ++i) {
    chain<Op, kShort><<<1, 32>>>(in.data, alone.data, kRounds);
    times[0] = std::min(times[0], double(alone.host()[0]));
    chain<Op, kLong><<<1, 32>>>(in.data, alone.data, kRounds);
    times[1] = std::min(times[1], double(alone.host()[0]));
  }
  char line[96];
  std::snprintf(line, sizeof line, "latency.%s", name);
  value(line, (times[1] - times[0]) / (kRounds * (kLong - kShort)));

  constexpr int kThreads = 1024, kFew = 16, kMany = 64, kFloodRounds = 8;
  Buffer<uint64_t> all(kThreads / 16);
  const double few = cycles(all, [&] { flood<Op, kFew><<<1, kThreads>>>(in.data, all.data, kFloodRounds); });
  const double many = cycles(all, [&] { flood<Op, kMany><<<1, kThreads>>>(in.data, all.data, kFloodRounds); });
  std::snprintf(line, sizeof line, "issue.%s", name);
  // Cycles of the multiprocessor for one step of one warp.
  value(line, (many - few) / (kFloodRounds * (kMany - kFew) * 4 * (kThreads / 32)));
}

}  // namespace

void measure_operations() {
#define OPERATION_NAME(name) measure<name>(#name);
#include "operations.inc"
}
