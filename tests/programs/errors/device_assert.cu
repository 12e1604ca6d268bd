// A failed assertion names file, line, function, block, thread and expression, as CUDA prints it.
// EXPECT-STDOUT: cudaErrorAssert 710
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: device_assert\.cu:@ASSERT: .*check.*block: \[1,0,0\], thread: \[3,0,0\] Assertion `value < limit` failed
#include <cassert>

#include "fault.h"

__global__ void check(int limit) {
  int value = blockIdx.x * 10 + threadIdx.x;
  assert(value < limit);  // @ASSERT
}

int main() {
  check<<<2, 4>>>(13);
  expect_sticky(cudaErrorAssert);
  return finish();
}
