// Clocks run forward, and nanosleep returns.
#include "check.h"

__global__ void clocks(long long* out) {
  long long a = clock64();
  unsigned long long g0, g1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
  volatile int sink = 0;
  for (int k = 0; k < 1000; ++k) sink = sink + k;
  __nanosleep(2000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
  long long b = clock64();
  unsigned c32 = clock();
  int t = threadIdx.x;
  out[4 * t] = b > a;
  out[4 * t + 1] = g1 >= g0;
  out[4 * t + 2] = g0 > 0;
  out[4 * t + 3] = c32 != 0;
}

// A delay loop, as samples use to keep a kernel busy.
__global__ void wait_cycles(long long* out, long long cycles) {
  long long begin = clock64(), passed;
  do {
    passed = clock64() - begin;
  } while (passed < cycles);
  out[threadIdx.x] = passed >= cycles;
}

__global__ void special_registers(unsigned* out) {
  unsigned smid, nsmid, gridid;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(nsmid));
  asm volatile("{ .reg .u64 g; mov.u64 g, %%gridid; cvt.u32.u64 %0, g; }" : "=r"(gridid));
  out[blockIdx.x] = smid < nsmid;
}

int main() {
  {
    Buffer<long long> out(4 * 64);
    clocks<<<1, 64>>>(out);
    CK_LAUNCH();
    expect_same("clocks", out.get(), std::vector<long long>(256, 1));
  }
  {
    Buffer<long long> out(64);
    wait_cycles<<<2, 64>>>(out, 50000);
    CK_LAUNCH();
    expect_same("wait_cycles", out.get(), std::vector<long long>(64, 1));
  }
  {
    Buffer<unsigned> out(200);
    special_registers<<<200, 32>>>(out);
    CK_LAUNCH();
    expect_same("special_registers", out.get(), std::vector<unsigned>(200, 1));
  }
  return finish();
}
