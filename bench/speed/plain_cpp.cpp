// The examples' algorithms as plain C++ for one core, compiled with -O3: the baseline for the engine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "problem_sizes.h"

namespace drywarp::bench {
namespace {

template <typename T>
std::vector<T> numbers(size_t count) {
  std::vector<T> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>((i * 2654435761u >> 8) % 251);
  return out;
}

void vector_add(benchmark::State& state) {
  const auto a = numbers<float>(kVector), b = numbers<float>(kVector);
  std::vector<float> c(kVector);
  for (auto _ : state) {
    for (size_t i = 0; i < kVector; ++i) c[i] = a[i] + b[i];
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
}

template <typename T>
void transpose(benchmark::State& state) {
  const auto in = numbers<T>(size_t{kMatrix} * kMatrix);
  std::vector<T> out(in.size());
  for (auto _ : state) {
    for (size_t y = 0; y < kMatrix; ++y)
      for (size_t x = 0; x < kMatrix; ++x) out[x * kMatrix + y] = in[y * kMatrix + x];
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

template <typename T>
void copy(benchmark::State& state) {
  const auto in = numbers<T>(size_t{kMatrix} * kMatrix);
  std::vector<T> out(in.size());
  for (auto _ : state) {
    for (size_t i = 0; i < in.size(); ++i) out[i] = in[i];
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void matmul(benchmark::State& state) {
  constexpr size_t n = kMultiplied;
  const auto a = numbers<float>(n * n), b = numbers<float>(n * n);
  std::vector<float> c(n * n);
  for (auto _ : state) {
    std::fill(c.begin(), c.end(), 0.f);
    for (size_t y = 0; y < n; ++y)
      for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x) c[y * n + x] += a[y * n + k] * b[k * n + x];
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
}

void reduction(benchmark::State& state) {
  const auto in = numbers<int>(kReduced);
  for (auto _ : state) {
    int sum = 0;
    for (const int v : in) sum += v;
    benchmark::DoNotOptimize(sum);
  }
}

void row_sums(benchmark::State& state) {
  const auto in = numbers<float>(size_t{kSummed} * kSummed);
  std::vector<float> out(kSummed);
  for (auto _ : state) {
    for (size_t y = 0; y < kSummed; ++y) {
      float sum = 0;
      for (size_t x = 0; x < kSummed; ++x) sum += in[y * kSummed + x];
      out[y] = sum;
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void histogram(benchmark::State& state) {
  const auto in = numbers<uint8_t>(kHistogram);
  std::vector<uint32_t> bins(256);
  for (auto _ : state) {
    for (const uint8_t v : in) ++bins[v];
    benchmark::DoNotOptimize(bins.data());
    benchmark::ClobberMemory();
  }
}

// The divergence example: one of two recurrences of 64 steps a thread.
void odd_even(benchmark::State& state) {
  std::vector<uint32_t> out(size_t{kDivergentWarps} * 32);
  for (auto _ : state) {
    for (uint32_t i = 0; i < out.size(); ++i) {
      uint32_t v = i;
      if (i % 2 == 0)
        for (int k = 0; k < 64; ++k) v = v * 1664525u + 1013904223u;
      else
        for (int k = 0; k < 64; ++k) v = (v ^ (v >> 7)) * 2654435761u;
      out[i] = v;
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(vector_add)->Name("plain/vector_add/vector_add")->Unit(benchmark::kMillisecond);
BENCHMARK(copy<float>)->Name("plain/transpose/copy<float>")->Unit(benchmark::kMillisecond);
BENCHMARK(transpose<float>)->Name("plain/transpose/naive_read<float>")->Unit(benchmark::kMillisecond);
BENCHMARK(transpose<double>)->Name("plain/transpose/naive_read<double>")->Unit(benchmark::kMillisecond);
BENCHMARK(matmul)->Name("plain/matmul/simple")->Unit(benchmark::kMillisecond);
BENCHMARK(reduction)->Name("plain/reduction/interleaved")->Unit(benchmark::kMillisecond);
BENCHMARK(row_sums)->Name("plain/access_patterns/row_sums")->Unit(benchmark::kMillisecond);
BENCHMARK(histogram)->Name("plain/histogram/global_atomics")->Unit(benchmark::kMillisecond);
BENCHMARK(odd_even)->Name("plain/divergence/odd_even")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace drywarp::bench

BENCHMARK_MAIN();
