// A write through the device address of a constant variable.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: write_to_constant\.cu:@STORE\b
// EXPECT-ERROR: constant
#include "fault.h"

__constant__ int table[16];
__global__ void overwrite(int* address, int* out) {
  *out = table[3];
  *address = 1;  // @STORE
}

int main() {
  void* address;
  int* out;
  CK(cudaMalloc(&out, 4));
  CK(cudaGetSymbolAddress(&address, table));
  overwrite<<<1, 1>>>(static_cast<int*>(address), out);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
