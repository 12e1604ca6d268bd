// A wait at what nothing has initialized stops the launch, if the user asks for that.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: a wait at a barrier object at offset 0x0 of shared memory that has not been initialized
// EXPECT-ERROR: bad_object_strict\.cu:@WAIT\b
#include "fault.h"

__global__ void wait(int* out) {
  __shared__ volatile unsigned long long object;
  object = 0;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared((const void*)&object));
  int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");  // @WAIT
  *out = done;
}

int main() {
  int* out;
  CK(cudaMalloc(&out, sizeof(int)));
  wait<<<1, 1>>>(out);
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
