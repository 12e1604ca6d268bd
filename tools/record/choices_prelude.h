// What the programs of bench/accuracy/choices share when record_choices.py builds all their configurations into one program: inputs are
// made once, results are read and checked only where that is wanted, and kernels are launched several times.
#pragma once

#include <map>
#include <utility>

#include "program.h"

namespace recorded {

inline bool checks = false;
inline int launches = 1;

inline const std::vector<float>& whole_numbers(size_t count, unsigned seed) {
  static std::map<std::pair<size_t, unsigned>, std::vector<float>> known;
  std::vector<float>& values = known[{count, seed}];
  if (values.empty()) values = ::whole_numbers(count, seed);
  return values;
}

template <class T>
std::vector<T> on_host(const T* data, size_t count) {
  if (checks) return ::on_host(data, count);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return std::vector<T>(count);
}

template <class T, class Expected>
int report(const std::vector<T>& values, Expected expected, double tolerance = 0) {
  check(cudaGetLastError(), "launch");
  return checks ? ::report(values, expected, tolerance) : 0;
}

}  // namespace recorded

#define whole_numbers recorded::whole_numbers
#define on_host recorded::on_host
#define report recorded::report
#define main one_choice
