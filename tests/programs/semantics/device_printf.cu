// Device printf: formats, argument types, order within a thread; the text itself is compared by the driver.
// EXPECT-STDOUT: start
// EXPECT-STDOUT: int -5 unsigned 4294967291 hex ff 0XFF octal 17 char A percent %
// EXPECT-STDOUT: long -5000000000 18446744073709551615 size 16
// EXPECT-STDOUT: float 1.500000 2.50e+00 0.001 double 3.14159265358979
// EXPECT-STDOUT: [   42][42   ][00042][+42][ 3.14][abc  ][  abc]
// EXPECT-STDOUT: star [    7][2.7]
// EXPECT-STDOUT: string literal, and one chosen at run time: odd
// EXPECT-STDOUT: block 0 thread 0
// EXPECT-STDOUT: block 0 thread 33
// EXPECT-STDOUT: nan inf -inf
// EXPECT-STDOUT: 1 two 3.000000 4
// EXPECT-STDOUT: returned 4
// EXPECT-STDOUT: after sync
// EXPECT-STDOUT: PASS
#include "check.h"

__global__ void formats(int five, double pi) {
  printf("int %d unsigned %u hex %x %#X octal %o char %c percent %%\n", -five, -five, 255, 255, 15, 'A');
  printf("long %ld %lu size %zu\n", -5000000000l, ~0ul, sizeof(int4));
  printf("float %f %.2e %g double %.15g\n", 1.5f, 2.5f, 0.001f, pi);
  printf("[%5d][%-5d][%05d][%+d][%5.2f][%-5s][%5s]\n", 42, 42, 42, 42, pi, "abc", "abc");
  printf("star [%*d][%.*f]\n", five, 7, 1, 2.71828);
  printf("string literal, and one chosen at run time: %s\n", five % 2 ? "odd" : "even");
}

__global__ void some_threads() {
  if (threadIdx.x % 33 == 0) printf("block %u thread %u\n", blockIdx.x, threadIdx.x);
}

__global__ void specials(float zero) { printf("%f %f %f\n", fabsf(zero / zero), 1 / zero, -1 / zero); }

__global__ void returned() {
  int count = printf("%d %s %f %c\n", 1, "two", 3.f, '4');  // on the device: the number of arguments
  printf("returned %d\n", count);
}

int main() {
  std::printf("start\n");
  formats<<<1, 1>>>(5, 3.14159265358979);
  CK_LAUNCH();
  some_threads<<<1, 64>>>();
  CK_LAUNCH();
  specials<<<1, 1>>>(0.f);
  CK_LAUNCH();
  returned<<<1, 1>>>();
  CK_LAUNCH();
  std::printf("after sync\n");
  return finish();
}
