// A kernel that waits forever is stopped, and its place is named.
// RUN: --timeout 1
// EXPECT-STDOUT: cudaErrorLaunchTimeout 702
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in wait\(
// EXPECT-ERROR: endless_loop\.cu:@LOOP\b
#include "fault.h"

__global__ void wait(volatile int* flag) {
  while (*flag == 0) continue;  // @LOOP
}

int main() {
  int* flag;
  CK(cudaMalloc(&flag, 4));
  CK(cudaMemset(flag, 0, 4));
  wait<<<2, 64>>>(flag);
  expect_sticky(cudaErrorLaunchTimeout);
  return finish();
}
