// Binds an implementation to a symbol of one CUDA version. A program gets the one it was linked with; one built with
// drywarp's own headers gets the newest.
#pragma once

#define DW_NEWEST(function, symbol) __asm__(".symver " #function ", " #symbol "@@libcudart.so.13")
#define DW_CUDA_12(function, symbol) __asm__(".symver " #function ", " #symbol "@libcudart.so.12")
#define DW_CUDA_11(function, symbol) __asm__(".symver " #function ", " #symbol "@libcudart.so.11.0")
// One symbol of all three: what CUDA 13's, 12's and 11's programs get.
#define DW_VERSIONS(symbol, thirteen, twelve, eleven) \
  DW_NEWEST(thirteen, symbol);                        \
  DW_CUDA_12(twelve, symbol);                         \
  DW_CUDA_11(eleven, symbol)
