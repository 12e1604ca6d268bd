// Binds implementations to the symbol versions of CUDA 13, 12 and 11. A program gets the version that it was linked
// with; a program built with drywarp's headers gets the newest. `symbol` is not expanded, because a header may define
// it as a macro.
#pragma once

#define DW_VERSIONS(symbol, thirteen, twelve, eleven)               \
  __asm__(".symver " #thirteen ", " #symbol "@@libcudart.so.13\n"); \
  __asm__(".symver " #twelve ", " #symbol "@libcudart.so.12\n");    \
  __asm__(".symver " #eleven ", " #symbol "@libcudart.so.11.0\n")
