// Shared by the programs with Thrust: comparisons with the host's algorithms.
#pragma once

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <vector>

#include "some_numbers.h"

template <typename T>
std::vector<T> on_host(const thrust::device_vector<T>& device) {
  std::vector<T> out(device.size());
  thrust::copy(device.begin(), device.end(), out.begin());
  return out;
}

template <typename T>
void expect_same(const char* what, const thrust::device_vector<T>& got, const std::vector<T>& want) {
  expect(got.size() == want.size(), what);
  expect_same(what, on_host(got), want);
}
