// The program's own exit code and output come through.
// RUN: -- seven 7
// EXPECT-EXIT: 7
// EXPECT-STDOUT: argument seven
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) return 99;
  std::printf("argument %s\n", argv[1]);
  return std::atoi(argv[2]);
}
