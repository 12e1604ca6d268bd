// elect.sync: the leader is the lowest lane of the mask that executes it.
#include "check.h"

__device__ int elect(unsigned mask, int* leader) {
  int lane, elected;
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.s32 %1, 1, 0, p; }"
               : "=r"(lane), "=r"(elected)
               : "r"(mask)
               : "memory");
  *leader = lane;
  return elected;
}

// For each thread: the leader's lane, and 100 more if that is the thread itself.
__global__ void whole_warp(int* out, unsigned mask) {
  int leader;
  const int elected = elect(mask, &leader);
  out[threadIdx.x] = leader + 100 * elected;
}
__global__ void in_a_branch(int* out) {
  int leader = -1, elected = 0;
  if (threadIdx.x % 32 >= 24)
    elected = elect(0xff000000u, &leader);
  else if (threadIdx.x % 2 == 1)
    elected = elect(0x00aaaaaau, &leader);
  out[threadIdx.x] = leader + 100 * elected;
}
__global__ void tiles(int* out) {
  int leader;
  const int elected = elect(0xffu << (threadIdx.x % 32 & ~7u), &leader);
  out[threadIdx.x] = leader + 100 * elected;
}
// The first lanes have exited; their bits may stay in the mask.
__global__ void after_exits(int* out, int first) {
  if (static_cast<int>(threadIdx.x) % 32 < first) return;
  int leader;
  const int elected = elect(0xffffffffu, &leader);
  out[threadIdx.x] = leader + 100 * elected;
}
__global__ void predicate_alone(int* out) {
  int elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(elected) : : "memory");
  out[threadIdx.x] = elected;
}

template <class Leader>
std::vector<int> expected(Leader leader) {
  std::vector<int> want(64);
  for (int t = 0; t < 64; ++t) want[t] = leader(t % 32) + (leader(t % 32) == t % 32 ? 100 : 0);
  return want;
}

int main() {
  // PTX does not define the result of lanes outside the mask. An H200 elects the lowest of the executing lanes.
  for (unsigned mask : {0xffffffffu, 0xff000000u, 0x00010100u}) {
    Buffer<int> out(64);
    whole_warp<<<1, 64>>>(out, mask);
    CK_LAUNCH();
    expect_same("whole_warp", out.get(), expected([](int) { return 0; }));
  }
  {
    Buffer<int> out(64);
    in_a_branch<<<1, 64>>>(out);
    CK_LAUNCH();
    expect_same("in_a_branch", out.get(), expected([](int lane) { return lane >= 24 ? 24 : lane % 2 == 1 ? 1 : -1; }));
  }
  {
    Buffer<int> out(64);
    tiles<<<1, 64>>>(out);
    CK_LAUNCH();
    expect_same("tiles", out.get(), expected([](int lane) { return lane / 8 * 8; }));
  }
  {
    Buffer<int> out(64);
    after_exits<<<1, 64>>>(out, 13);
    CK_LAUNCH();
    std::vector<int> want = expected([](int) { return 13; });
    for (int t = 0; t < 64; ++t)
      if (t % 32 < 13) want[t] = 0;
    expect_same("after_exits", out.get(), want);
  }
  {
    Buffer<int> out(64);
    predicate_alone<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(64, 0);
    want[0] = want[32] = 1;
    expect_same("predicate_alone", out.get(), want);
  }
  return finish();
}
