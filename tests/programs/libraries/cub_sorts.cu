// CUB 1.17 (Debian's libcub-dev), unchanged: the device's sorts, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
// EXPECT-NOT: warning:
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <algorithm>
#include <numeric>

#include "cub_check.h"

constexpr int kCount = 4000;
const std::vector<int> a = some_numbers(kCount, 700);

void radix_sorts() {
  const Buffer<int> in(a), out(kCount), values_out(kCount);
  std::vector<int> want = a, places(kCount);
  with_storage([&](void* p, size_t& n) { return cub::DeviceRadixSort::SortKeys(p, n, in.data(), out.data(), kCount); });
  std::sort(want.begin(), want.end());
  expect_same("DeviceRadixSort::SortKeys", out.get(), want);

  std::iota(places.begin(), places.end(), 0);
  const Buffer<int> values(places);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceRadixSort::SortPairsDescending(p, n, in.data(), out.data(), values.data(), values_out.data(),
                                                     kCount);
  });
  std::stable_sort(places.begin(), places.end(), [](int x, int y) { return a[x] > a[y]; });
  expect_same("DeviceRadixSort::SortPairsDescending, the values", values_out.get(), places);
  std::reverse(want.begin(), want.end());
  expect_same("DeviceRadixSort::SortPairsDescending, the keys", out.get(), want);
}

void merge_sort() {
  const Buffer<int> keys(a);
  std::vector<int> want = a;
  const auto by_digit = [] __host__ __device__(int x, int y) { return x % 10 < y % 10; };
  with_storage(
      [&](void* p, size_t& n) { return cub::DeviceMergeSort::StableSortKeys(p, n, keys.data(), kCount, by_digit); });
  std::stable_sort(want.begin(), want.end(), by_digit);
  expect_same("DeviceMergeSort::StableSortKeys", keys.get(), want);
}

void segmented_sort() {
  const std::vector<int> ends = {0, 1, 1, 40, 900, kCount};
  const Buffer<int> in(a), out(kCount), bounds(ends);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceSegmentedSort::SortKeys(p, n, in.data(), out.data(), kCount, int(ends.size()) - 1, bounds.data(),
                                              bounds.data() + 1);
  });
  std::vector<int> want = a;
  for (size_t i = 0; i + 1 < ends.size(); ++i) std::sort(want.begin() + ends[i], want.begin() + ends[i + 1]);
  expect_same("DeviceSegmentedSort::SortKeys", out.get(), want);
}

int main() {
  radix_sorts();
  merge_sort();
  segmented_sort();
  return finish();
}
