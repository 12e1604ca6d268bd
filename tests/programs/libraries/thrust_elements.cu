// Thrust 1.17 (Debian's libthrust-dev), unchanged: element-wise algorithms, reductions and iterators, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <numeric>

#include "thrust_check.h"

constexpr int kCount = 5000;
const std::vector<int> a = some_numbers(kCount, 1000), b = some_numbers(kCount, 1000, 7);
thrust::device_vector<int> da, db;

// What writes elements.
void writes() {
  std::vector<int> want(kCount);
  thrust::device_vector<int> out(kCount);

  expect_same("copies there and back", da, a);
  thrust::host_vector<int> host = da;
  expect(std::equal(host.begin(), host.end(), a.begin()), "host_vector = device_vector");
  da[17] = -5;
  expect(da[17] == -5, "one element");
  da[17] = a[17];

  thrust::transform(da.begin(), da.end(), db.begin(), out.begin(), thrust::plus<int>());
  std::transform(a.begin(), a.end(), b.begin(), want.begin(), std::plus<int>());
  expect_same("transform", out, want);

  thrust::transform(da.begin(), da.end(), out.begin(), [] __device__(int x) { return x * 3 - 1; });
  std::transform(a.begin(), a.end(), want.begin(), [](int x) { return x * 3 - 1; });
  expect_same("transform with a lambda", out, want);

  thrust::sequence(out.begin(), out.end(), 5, 3);
  for (int i = 0; i < kCount; ++i) want[i] = 5 + 3 * i;
  expect_same("sequence", out, want);

  thrust::tabulate(out.begin(), out.end(), [] __device__(int i) { return i * i; });
  for (int i = 0; i < kCount; ++i) want[i] = i * i;
  expect_same("tabulate", out, want);

  thrust::fill(out.begin(), out.begin() + 100, 42);
  std::fill(want.begin(), want.begin() + 100, 42);
  expect_same("fill", out, want);

  thrust::generate(out.begin(), out.end(), [] __device__() { return 9; });
  expect_same("generate", out, std::vector<int>(kCount, 9));

  out = da;
  thrust::replace(out.begin(), out.end(), a[0], -1);
  want = a;
  std::replace(want.begin(), want.end(), a[0], -1);
  expect_same("replace", out, want);

  thrust::for_each(out.begin(), out.end(), [] __device__(int& x) { x += 2; });
  for (int& x : want) x += 2;
  expect_same("for_each", out, want);

  thrust::reverse(out.begin(), out.end());
  std::reverse(want.begin(), want.end());
  expect_same("reverse", out, want);

  thrust::adjacent_difference(da.begin(), da.end(), out.begin());
  std::adjacent_difference(a.begin(), a.end(), want.begin());
  expect_same("adjacent_difference", out, want);

  thrust::device_vector<int> map(kCount);
  thrust::tabulate(map.begin(), map.end(), [] __device__(int i) { return i * 7 % kCount; });
  thrust::gather(map.begin(), map.end(), da.begin(), out.begin());
  for (int i = 0; i < kCount; ++i) want[i] = a[i * 7 % kCount];
  expect_same("gather", out, want);
  thrust::scatter(da.begin(), da.end(), map.begin(), out.begin());
  for (int i = 0; i < kCount; ++i) want[i * 7 % kCount] = a[i];
  expect_same("scatter", out, want);
}

// What makes one value of many.
void reductions() {
  expect(thrust::reduce(da.begin(), da.end()) == std::accumulate(a.begin(), a.end(), 0), "reduce");
  expect(thrust::reduce(da.begin(), da.end(), 0, thrust::maximum<int>()) == *std::max_element(a.begin(), a.end()),
         "reduce by maximum");
  const auto square = [] __host__ __device__(int x) { return int64_t(x) * x; };
  int64_t squares = 0;
  for (int x : a) squares += square(x);
  expect(thrust::transform_reduce(da.begin(), da.end(), square, int64_t(0), thrust::plus<int64_t>()) == squares,
         "transform_reduce");
  expect(thrust::inner_product(da.begin(), da.end(), db.begin(), int64_t(0)) ==
             std::inner_product(a.begin(), a.end(), b.begin(), int64_t(0)),
         "inner_product");
  expect(thrust::count(da.begin(), da.end(), a[3]) == std::count(a.begin(), a.end(), a[3]), "count");
  const auto odd = [] __host__ __device__(int x) { return x % 2 != 0; };
  expect(thrust::count_if(da.begin(), da.end(), odd) == std::count_if(a.begin(), a.end(), odd), "count_if");
  expect(thrust::min_element(da.begin(), da.end()) - da.begin() == std::min_element(a.begin(), a.end()) - a.begin(),
         "min_element, the first of equals");
  expect(thrust::max_element(da.begin(), da.end()) - da.begin() == std::max_element(a.begin(), a.end()) - a.begin(),
         "max_element");
  expect(thrust::find(da.begin(), da.end(), a[4321]) - da.begin() == std::find(a.begin(), a.end(), a[4321]) - a.begin(),
         "find");
  expect(thrust::find(da.begin(), da.end(), -1) == da.end(), "find nothing");
  const auto large = [] __host__ __device__(int x) { return x > 995; };
  expect(thrust::find_if(da.begin(), da.end(), large) - da.begin() ==
             std::find_if(a.begin(), a.end(), large) - a.begin(),
         "find_if");
  expect(thrust::all_of(da.begin(), da.end(), [] __device__(int x) { return x < 1000; }), "all_of");
  expect(!thrust::any_of(da.begin(), da.end(), [] __device__(int x) { return x < 0; }), "any_of");
}

// Algorithms on what is no array.
void iterators() {
  const auto numbers = thrust::make_counting_iterator(0);
  expect(thrust::reduce(thrust::device, numbers, numbers + 1000) == 499500, "counting_iterator");
  expect(thrust::reduce(thrust::device, thrust::make_constant_iterator(3), thrust::make_constant_iterator(3) + 500) ==
             1500,
         "constant_iterator");
  const auto doubled = thrust::make_transform_iterator(da.begin(), [] __host__ __device__(int x) { return 2 * x; });
  expect(thrust::reduce(doubled, doubled + kCount) == 2 * std::accumulate(a.begin(), a.end(), 0), "transform_iterator");
  thrust::device_vector<int> chosen = std::vector<int>{4, 4000, 17, 0};
  const auto picked = thrust::make_permutation_iterator(da.begin(), chosen.begin());
  expect(thrust::reduce(picked, picked + 4) == a[4] + a[4000] + a[17] + a[0], "permutation_iterator");
  const auto both = thrust::make_zip_iterator(thrust::make_tuple(da.begin(), db.begin()));
  thrust::device_vector<int> out(kCount);
  thrust::transform(both, both + kCount, out.begin(),
                    [] __device__(thrust::tuple<int, int> t) { return thrust::get<0>(t) * thrust::get<1>(t); });
  std::vector<int> want(kCount);
  std::transform(a.begin(), a.end(), b.begin(), want.begin(), std::multiplies<int>());
  expect_same("zip_iterator", out, want);
}

int main() {
  da = a, db = b;
  writes();
  reductions();
  iterators();
  return finish();
}
