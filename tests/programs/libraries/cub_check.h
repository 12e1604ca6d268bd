// Shared by the programs with CUB.
#pragma once

#include <vector>

#include "some_numbers.h"

// CUB's algorithms say first how much storage they need.
template <typename Algorithm>
void with_storage(Algorithm&& algorithm) {
  size_t bytes = 0;
  CK(algorithm(nullptr, bytes));
  const Buffer<char> storage(bytes + 1);
  CK(algorithm(storage.data(), bytes));
  CK(cudaDeviceSynchronize());
}

// The first elements of `got`, as many as the device says.
inline void expect_front(const char* what, const Buffer<int>& got, const Buffer<int>& count,
                         const std::vector<int>& want) {
  expect(count.get()[0] == int(want.size()), what);
  expect_same(what, got.get(), want);
}
