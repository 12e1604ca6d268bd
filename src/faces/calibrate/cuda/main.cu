#include <cstring>

#include "bench.h"

__global__ void nothing() {}
__global__ void busy(const uint4* from, uint4* to, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

int main(int argc, char** argv) {
  // For a profiler: empty launches, then one that keeps the memory busy.
  if (argc > 1 && std::strcmp(argv[1], "profile") == 0) {
    for (int i = 0; i < 20; ++i) nothing<<<1, 32>>>();
    Buffer<uint4> from(size_t(1) << 27), to(size_t(1) << 27);
    busy<<<1024, 512>>>(from.data, to.data, from.size);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  struct Part {
    const char* name;
    void (*measure)();
  };
  const Part parts[] = {{"device", measure_device},           {"operations", measure_operations},
                        {"latencies", measure_latencies},     {"bandwidths", measure_bandwidths},
                        {"atomics", measure_atomics},         {"control", measure_control},
                        {"instruction cache", measure_instruction_cache}, {"launches", measure_launches}};
  for (const Part& part : parts) {
    std::fprintf(stderr, "measuring %s\n", part.name);
    part.measure();
    CHECK(cudaDeviceSynchronize());
    std::fflush(stdout);
  }
  std::puts("text end yes");
  return 0;
}
