// Forms of mma.sync and mma.sp as structures, and what runs one on many inputs. A program gives MMA's text and places.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"
#include "matrix_inputs.h"

// Numbers of asm's operands: registers of d and c, of a, of b; metadata of a sparse a follows.
#define IN1(c, r) c(r[0])
#define IN2(c, r) IN1(c, r), c(r[1])
#define IN4(c, r) IN2(c, r), c(r[2]), c(r[3])
#define IN8(c, r) IN4(c, r), c(r[4]), c(r[5]), c(r[6]), c(r[7])
#define TYPES_WORDS   \
  using A = uint32_t; \
  using C = uint32_t;
#define TYPES_SINGLE  \
  using A = uint32_t; \
  using C = float;
#define TYPES_DOUBLE \
  using A = double;  \
  using C = double;
#define INPUT_WORDS "r"
#define INPUT_SINGLE "r"
#define INPUT_DOUBLE "d"
#define SUM_WORDS "r"
#define SUM_SINGLE "f"
#define SUM_DOUBLE "d"
#define OUT_WORDS "=r"
#define OUT_SINGLE "=f"
#define OUT_DOUBLE "=d"

template <class T>
T* upload(const std::vector<T>& v) {
  T* p = nullptr;
  CK(cudaMalloc(&p, v.size() * sizeof(T)));
  CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
T of_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
