// The kernel traps.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: trap\.cu:@TRAP\b
// EXPECT-ERROR: thread \(7,0,0\) of block \(2,0,0\)
#include "fault.h"

__global__ void give_up() {
  if (blockIdx.x == 2 && threadIdx.x == 7) __trap();  // @TRAP
}

int main() {
  give_up<<<4, 32>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
