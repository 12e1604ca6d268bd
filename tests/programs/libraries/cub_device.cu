// CUB 1.17 (Debian's libcub-dev), unchanged: the device's reductions, scans, selections and histograms, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <numeric>

#include "cub_check.h"

constexpr int kCount = 6000;
const std::vector<int> a = some_numbers(kCount, 1000), runs = some_numbers(kCount, 3, 5);

void reductions() {
  const Buffer<int> in(a);
  const Buffer<int> sum(1), least(1), most(1);
  with_storage([&](void* p, size_t& n) { return cub::DeviceReduce::Sum(p, n, in.data(), sum.data(), kCount); });
  expect(sum.get()[0] == std::accumulate(a.begin(), a.end(), 0), "DeviceReduce::Sum");
  with_storage([&](void* p, size_t& n) { return cub::DeviceReduce::Min(p, n, in.data(), least.data(), kCount); });
  expect(least.get()[0] == *std::min_element(a.begin(), a.end()), "DeviceReduce::Min");
  const Buffer<cub::KeyValuePair<int, int>> place(1);
  with_storage([&](void* p, size_t& n) { return cub::DeviceReduce::ArgMax(p, n, in.data(), place.data(), kCount); });
  expect(place.get()[0].key == std::max_element(a.begin(), a.end()) - a.begin(), "DeviceReduce::ArgMax");
  const auto bits = [] __device__(int x, int y) { return x ^ y; };
  with_storage(
      [&](void* p, size_t& n) { return cub::DeviceReduce::Reduce(p, n, in.data(), most.data(), kCount, bits, 5); });
  expect(most.get()[0] == std::accumulate(a.begin(), a.end(), 5, [](int x, int y) { return x ^ y; }),
         "DeviceReduce::Reduce with a lambda");

  const std::vector<int> ends = {0, 1, 1, 700, 702, 5000, kCount};
  const Buffer<int> bounds(ends), sums(ends.size() - 1);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceSegmentedReduce::Sum(p, n, in.data(), sums.data(), int(ends.size()) - 1, bounds.data(),
                                           bounds.data() + 1);
  });
  std::vector<int> want;
  for (size_t i = 0; i + 1 < ends.size(); ++i)
    want.push_back(std::accumulate(a.begin() + ends[i], a.begin() + ends[i + 1], 0));
  expect_same("DeviceSegmentedReduce::Sum", sums.get(), want);

  const Buffer<int> keys(runs), out_keys(kCount), out_sums(kCount), count(1);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceReduce::ReduceByKey(p, n, keys.data(), out_keys.data(), in.data(), out_sums.data(), count.data(),
                                          cub::Sum(), kCount);
  });
  std::vector<int> want_sums;
  for (int i = 0; i < kCount; ++i)
    if (i && runs[i] == runs[i - 1])
      want_sums.back() += a[i];
    else
      want_sums.push_back(a[i]);
  expect_front("DeviceReduce::ReduceByKey", out_sums, count, want_sums);
}

void scans() {
  const Buffer<int> in(a), out(kCount);
  std::vector<int> want(kCount);
  with_storage([&](void* p, size_t& n) { return cub::DeviceScan::InclusiveSum(p, n, in.data(), out.data(), kCount); });
  std::partial_sum(a.begin(), a.end(), want.begin());
  expect_same("DeviceScan::InclusiveSum", out.get(), want);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceScan::ExclusiveScan(p, n, in.data(), out.data(), cub::Max(), -1, kCount);
  });
  std::exclusive_scan(a.begin(), a.end(), want.begin(), -1, [](int x, int y) { return std::max(x, y); });
  expect_same("DeviceScan::ExclusiveScan by maximum", out.get(), want);
}

void selections() {
  const Buffer<int> in(a), out(kCount), count(1);
  const auto odd = [] __host__ __device__(int x) { return x % 2 != 0; };
  std::vector<int> want;
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceSelect::If(p, n, in.data(), out.data(), count.data(), kCount, odd);
  });
  std::copy_if(a.begin(), a.end(), std::back_inserter(want), odd);
  expect_front("DeviceSelect::If", out, count, want);

  std::vector<char> marks(kCount);
  for (int i = 0; i < kCount; ++i) marks[i] = i % 3 == 0;
  const Buffer<char> flags(marks);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceSelect::Flagged(p, n, in.data(), flags.data(), out.data(), count.data(), kCount);
  });
  want.clear();
  for (int i = 0; i < kCount; i += 3) want.push_back(a[i]);
  expect_front("DeviceSelect::Flagged", out, count, want);

  const Buffer<int> repeated(runs), lengths(kCount);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceSelect::Unique(p, n, repeated.data(), out.data(), count.data(), kCount);
  });
  want = runs;
  want.erase(std::unique(want.begin(), want.end()), want.end());
  expect_front("DeviceSelect::Unique", out, count, want);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceRunLengthEncode::Encode(p, n, repeated.data(), out.data(), lengths.data(), count.data(), kCount);
  });
  expect_front("DeviceRunLengthEncode::Encode, the values", out, count, want);
  std::vector<int> want_lengths;
  for (int i = 0; i < kCount; ++i)
    if (i && runs[i] == runs[i - 1])
      ++want_lengths.back();
    else
      want_lengths.push_back(1);
  expect_front("DeviceRunLengthEncode::Encode, the lengths", lengths, count, want_lengths);
}

void histograms() {
  const Buffer<int> in(a);
  constexpr int kBins = 20;
  const Buffer<int> even(kBins), ranges(3);
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceHistogram::HistogramEven(p, n, in.data(), even.data(), kBins + 1, 0, 1000, kCount);
  });
  std::vector<int> want(kBins);
  for (int x : a) ++want[x / 50];
  expect_same("DeviceHistogram::HistogramEven", even.get(), want);
  const Buffer<int> levels(std::vector<int>{10, 20, 500, 600});
  with_storage([&](void* p, size_t& n) {
    return cub::DeviceHistogram::HistogramRange(p, n, in.data(), ranges.data(), 4, levels.data(), kCount);
  });
  want.assign(3, 0);
  for (int x : a)
    if (x >= 10 && x < 600) ++want[x < 20 ? 0 : x < 500 ? 1 : 2];
  expect_same("DeviceHistogram::HistogramRange", ranges.get(), want);
}

int main() {
  reductions();
  scans();
  selections();
  histograms();
  return finish();
}
