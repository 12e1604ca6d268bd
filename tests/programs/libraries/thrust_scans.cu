// Thrust 1.17 (Debian's libthrust-dev), unchanged: scans, algorithms by key, and selections, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
#include <thrust/functional.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "thrust_check.h"

constexpr int kCount = 5000;
const std::vector<int> a = some_numbers(kCount, 4), values = some_numbers(kCount, 100, 7);
thrust::device_vector<int> keys, data;

void scans() {
  std::vector<int> want(kCount);
  thrust::device_vector<int> out(kCount);
  thrust::inclusive_scan(data.begin(), data.end(), out.begin());
  std::partial_sum(values.begin(), values.end(), want.begin());
  expect_same("inclusive_scan", out, want);

  thrust::exclusive_scan(data.begin(), data.end(), out.begin(), 10);
  std::exclusive_scan(values.begin(), values.end(), want.begin(), 10);
  expect_same("exclusive_scan", out, want);

  thrust::inclusive_scan(data.begin(), data.end(), out.begin(), thrust::maximum<int>());
  std::partial_sum(values.begin(), values.end(), want.begin(), [](int x, int y) { return std::max(x, y); });
  expect_same("inclusive_scan by maximum", out, want);

  const auto twice = [] __host__ __device__(int x) { return 2 * x; };
  thrust::transform_inclusive_scan(data.begin(), data.end(), out.begin(), twice, thrust::plus<int>());
  std::transform_inclusive_scan(values.begin(), values.end(), want.begin(), std::plus<int>(), twice);
  expect_same("transform_inclusive_scan", out, want);

  thrust::inclusive_scan_by_key(keys.begin(), keys.end(), data.begin(), out.begin());
  for (int i = 0; i < kCount; ++i) want[i] = values[i] + (i && a[i] == a[i - 1] ? want[i - 1] : 0);
  expect_same("inclusive_scan_by_key", out, want);

  thrust::exclusive_scan_by_key(keys.begin(), keys.end(), data.begin(), out.begin());
  for (int i = 0; i < kCount; ++i) want[i] = i && a[i] == a[i - 1] ? want[i - 1] + values[i - 1] : 0;
  expect_same("exclusive_scan_by_key", out, want);
}

void by_key() {
  std::vector<int> want_keys, want_sums;
  for (int i = 0; i < kCount; ++i)
    if (i && a[i] == a[i - 1])
      want_sums.back() += values[i];
    else
      want_keys.push_back(a[i]), want_sums.push_back(values[i]);
  thrust::device_vector<int> out_keys(kCount), out_sums(kCount);
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), data.begin(), out_keys.begin(), out_sums.begin());
  out_keys.resize(ends.first - out_keys.begin());
  out_sums.resize(ends.second - out_sums.begin());
  expect_same("reduce_by_key, the keys", out_keys, want_keys);
  expect_same("reduce_by_key, the sums", out_sums, want_sums);
}

void selections() {
  std::vector<int> want = a;
  thrust::device_vector<int> out = a;
  out.resize(thrust::unique(out.begin(), out.end()) - out.begin());
  want.erase(std::unique(want.begin(), want.end()), want.end());
  expect_same("unique", out, want);

  const auto odd = [] __host__ __device__(int x) { return x % 2 != 0; };
  want.clear();
  std::copy_if(values.begin(), values.end(), std::back_inserter(want), odd);
  out.assign(kCount, 0);
  out.resize(thrust::copy_if(data.begin(), data.end(), out.begin(), odd) - out.begin());
  expect_same("copy_if", out, want);

  want = values;
  want.erase(std::remove_if(want.begin(), want.end(), odd), want.end());
  out = values;
  out.resize(thrust::remove_if(out.begin(), out.end(), odd) - out.begin());
  expect_same("remove_if", out, want);

  want = values;
  out = values;
  const auto middle = std::stable_partition(want.begin(), want.end(), odd) - want.begin();
  expect(thrust::stable_partition(out.begin(), out.end(), odd) - out.begin() == middle, "stable_partition, its middle");
  expect_same("stable_partition", out, want);

  out = values;
  expect(thrust::partition(out.begin(), out.end(), odd) - out.begin() == middle, "partition, its middle");
  expect(thrust::is_partitioned(out.begin(), out.end(), odd), "is_partitioned");
}

int main() {
  keys = a, data = values;
  scans();
  by_key();
  selections();
  return finish();
}
