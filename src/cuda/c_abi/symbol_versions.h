// Binds implementations to the symbol versions of CUDA 13, 12 and 11: a program gets the one it was linked with; one
// built with drywarp's own headers gets the newest. The symbol is written down as it stands: a header may make it a
// macro.
#pragma once

#define DW_VERSIONS(symbol, thirteen, twelve, eleven)               \
  __asm__(".symver " #thirteen ", " #symbol "@@libcudart.so.13\n"); \
  __asm__(".symver " #twelve ", " #symbol "@libcudart.so.12\n");    \
  __asm__(".symver " #eleven ", " #symbol "@libcudart.so.11.0\n")
