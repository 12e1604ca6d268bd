// Thrust 1.17 (Debian's libthrust-dev), unchanged: sorts, merges, sets and searches, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
// EXPECT-NOT: warning:
#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "thrust_check.h"

constexpr int kCount = 3000;
const std::vector<int> a = some_numbers(kCount, 500), b = some_numbers(kCount / 2, 500, 7);

void sorts() {
  std::vector<int> want = a;
  thrust::device_vector<int> keys = a;
  thrust::sort(keys.begin(), keys.end());
  std::sort(want.begin(), want.end());
  expect_same("sort", keys, want);
  expect(thrust::is_sorted(keys.begin(), keys.end()), "is_sorted");

  // Keys of one type are sorted by digits, which keeps the order of equal ones.
  std::vector<int> places(kCount);
  std::iota(places.begin(), places.end(), 0);
  thrust::device_vector<int> values = places;
  keys = a;
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  expect_same("sort_by_key, the keys", keys, want);
  std::stable_sort(places.begin(), places.end(), [](int x, int y) { return a[x] < a[y]; });
  expect_same("sort_by_key, the values", values, places);

  // By the last digit only: equal ones keep their order.
  const auto by_digit = [] __host__ __device__(int x, int y) { return x % 10 < y % 10; };
  keys = a;
  want = a;
  thrust::stable_sort(keys.begin(), keys.end(), by_digit);
  std::stable_sort(want.begin(), want.end(), by_digit);
  expect_same("stable_sort", keys, want);
}

void searches(const std::vector<int>& sorted) {
  const thrust::device_vector<int> keys = sorted, wanted = b;
  thrust::device_vector<int> out(b.size());
  thrust::device_vector<bool> found(b.size());
  std::vector<int> want;
  for (int x : b) want.push_back(int(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin()));
  thrust::lower_bound(keys.begin(), keys.end(), wanted.begin(), wanted.end(), out.begin());
  expect_same("lower_bound", out, want);
  want.clear();
  for (int x : b) want.push_back(int(std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin()));
  thrust::upper_bound(keys.begin(), keys.end(), wanted.begin(), wanted.end(), out.begin());
  expect_same("upper_bound", out, want);
  thrust::binary_search(keys.begin(), keys.end(), wanted.begin(), wanted.end(), found.begin());
  int count = 0;
  for (int x : b) count += std::binary_search(sorted.begin(), sorted.end(), x);
  int got = 0;
  for (bool is : on_host(found)) got += is;
  expect(got == count, "binary_search");
}

int main() {
  sorts();
  std::vector<int> x = a, y = b;
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  searches(x);
  const thrust::device_vector<int> dx = x, dy = y;
  std::vector<int> want;
  thrust::device_vector<int> out(x.size() + y.size());
  const auto compare = [&](const char* what, auto end) {
    out.resize(end - out.begin());
    expect_same(what, out, want);
    out.resize(x.size() + y.size());
    want.clear();
  };
  std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want));
  compare("merge", thrust::merge(dx.begin(), dx.end(), dy.begin(), dy.end(), out.begin()));
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want));
  compare("set_union", thrust::set_union(dx.begin(), dx.end(), dy.begin(), dy.end(), out.begin()));
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want));
  compare("set_intersection", thrust::set_intersection(dx.begin(), dx.end(), dy.begin(), dy.end(), out.begin()));
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want));
  compare("set_difference", thrust::set_difference(dx.begin(), dx.end(), dy.begin(), dy.end(), out.begin()));
  return finish();
}
