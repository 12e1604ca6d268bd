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

// The difference of two readings is in proportion to the work between them.
__global__ void work_shows(long long* out, int n) {
  volatile int sink = 0;
  long long t0 = clock64();
  for (int k = 0; k < n; ++k) sink = sink + k;
  long long t1 = clock64();
  for (int k = 0; k < 10 * n; ++k) sink = sink + k;
  long long t2 = clock64();
  out[threadIdx.x] = t1 - t0;
  out[threadIdx.x + 32] = t2 - t1;
}

// Sleep and globaltimer count the same nanoseconds, and time continues from launch to launch.
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void sleeps(unsigned long long* out) {
  unsigned long long a = now();
  for (int k = 0; k < 10; ++k) __nanosleep(1000);
  unsigned long long b = now();
  out[0] = b - a;
  out[1] = b;
}
// Waits as samples do, for some cycles of the device's clock.
__global__ void waits(unsigned long long* out, unsigned long long nanoseconds) {
  unsigned long long start = now();
  while (now() - start < nanoseconds) {
  }
  out[0] = start;
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
    Buffer<long long> out(64);
    work_shows<<<1, 32>>>(out, 100);
    CK_LAUNCH();
    std::vector<long long> got = out.get();
    EXPECT(got[0] >= 300 && got[0] < 3000);
    EXPECT(got[32] > 8 * got[0] && got[32] < 11 * got[0]);
  }
  {
    Buffer<unsigned long long> out(2);
    sleeps<<<1, 1>>>(out);
    CK_LAUNCH();
    std::vector<unsigned long long> got = out.get();
    EXPECT(got[0] >= 9990 && got[0] < 20000);
    unsigned long long before = got[1];
    waits<<<1, 1>>>(out, 1000000);
    CK_LAUNCH();
    EXPECT(out.get()[0] > before);
  }
  {
    Buffer<unsigned> out(200);
    special_registers<<<200, 32>>>(out);
    CK_LAUNCH();
    expect_same("special_registers", out.get(), std::vector<unsigned>(200, 1));
  }
  return finish();
}
