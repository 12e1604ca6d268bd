// Arrays in local memory, at indices that only the run knows: one index for the whole warp or one a lane, words, bytes and doubles, few and many warps.
#include "cases.h"

// Writes all elements and reads them again, in order: all lanes are at the same element.
template <class T, int SIZE>
__global__ void fill_and_sum(T* out, const int* order, int rounds) {
  T values[SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll 1
    for (int k = 0; k < SIZE; ++k) values[(k + order[r]) % SIZE] = T(i + k + r);
#pragma unroll 1
    for (int k = 0; k < SIZE; ++k) sum += values[(k * 3 + order[r]) % SIZE];
  }
  out[i] = sum;
}

// The same, but each lane starts at another element.
template <class T, int SIZE>
__global__ void fill_and_sum_apart(T* out, const int* order, int rounds) {
  T values[SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int first = order[(r + threadIdx.x) % 64];
#pragma unroll 1
    for (int k = 0; k < SIZE; ++k) values[(k + first) % SIZE] = T(i + k + r);
#pragma unroll 1
    for (int k = 0; k < SIZE; ++k) sum += values[(k * 3 + first) % SIZE];
  }
  out[i] = sum;
}

// Only stores: one element is read at the end.
template <class T, int SIZE>
__global__ void fill_only(T* out, const int* order, int rounds) {
  T values[SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[order[0] % SIZE] = T(i);
  for (int r = 0; r < rounds; ++r) {
    const int first = order[r];
#pragma unroll 1
    for (int k = 0; k < SIZE; ++k) values[(k + first) % SIZE] = T(i + k + r);
  }
  out[i] = values[order[threadIdx.x % 64] % SIZE];
}

// Counts of bytes, a table a thread.
template <class T, int BINS>
__global__ void count_alone(const unsigned char* in, unsigned* out, int n) {
  T bins[BINS];
  for (int k = 0; k < BINS; ++k) bins[k] = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int k = i; k < n; k += threads) ++bins[in[k] % BINS];
  unsigned most = 0;
  for (int k = 0; k < BINS; ++k) most = max(most, unsigned(bins[k]));
  out[i] = most;
}

// Insertion sort of SIZE numbers a thread.
template <class T, int SIZE>
__global__ void sort_alone(const T* in, T* out, int threads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T values[SIZE];
#pragma unroll 1
  for (int k = 0; k < SIZE; ++k) {
    const T value = in[k * threads + i];
    int place = k;
    while (place > 0 && values[place - 1] > value) {
      values[place] = values[place - 1];
      --place;
    }
    values[place] = value;
  }
  out[i] = values[SIZE / 2];
}

// A stack a thread: depth first through an implicit tree whose shape differs from lane to lane.
template <int DEPTH>
__global__ void walk_tree(const unsigned* seed, unsigned* out, int levels) {
  unsigned stack[DEPTH];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  int top = 0;
  stack[top++] = seed[i] << 5;
  while (top > 0) {
    const unsigned node = stack[--top], level = node & 31, hash = node * 2654435761u;
    found += hash >> 28;
    if (int(level) >= levels) continue;
    if (hash & 0x10000) stack[top++] = (hash << 5) | (level + 1);
    if (hash & 0x20000) stack[top++] = ((hash ^ 0x5bd1e995) << 5) | (level + 1);
    if (hash & 0x40000 && top < DEPTH - 2) stack[top++] = ((hash ^ 0x1b873593) << 5) | (level + 1);
  }
  out[i] = found;
}

// A chain through a permutation in local memory: each load waits for the one before it.
template <int SIZE>
__global__ void follow(const int* next, int* out, int steps) {
  int links[SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < SIZE; ++k) links[k] = next[(k + i) % SIZE] % SIZE;
  int at = threadIdx.x % SIZE;
  for (int k = 0; k < steps; ++k) at = links[at];
  out[i] = at;
}

// A window over a row of numbers: a ring of the last SIZE of them.
template <int SIZE>
__global__ void ring(const float* in, float* out, int n, int delay) {
  float last[SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int k = 0; k < SIZE; ++k) last[k] = 0;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float value = in[k * threads + i];
    sum = 0.5f * sum + value - last[(k + delay) % SIZE];
    last[k % SIZE] = value;
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  std::vector<int> orders(64);
  for (uint32_t i = 0; i < 64; ++i) orders[i] = int(hashed(i) % 251);
  const int* order = on_device(orders);
  void* out = zeros<double>(1 << 18);
  const unsigned* seeds = on_device<uint32_t>(1 << 22, hashed);
  const float* numbers = on_device<float>(1 << 22, fraction);
  int shapes[][2] = {{132, 32}, {132, 256}, {264, 512}, {1056, 128}};
  for (const auto& shape : shapes) {
    const int blocks = shape[0], threads = shape[1];
    const std::string at = "_" + std::to_string(blocks) + "x" + std::to_string(threads);
    const int n = blocks * threads;
    run("fill_and_sum_16" + at, [&] { fill_and_sum<int, 16><<<blocks, threads>>>((int*)out, order, 8); });
    run("fill_and_sum_100" + at, [&] { fill_and_sum<int, 100><<<blocks, threads>>>((int*)out, order, 2); });
    if (n < 1 << 16) run("fill_and_sum_400" + at, [&] { fill_and_sum<int, 400><<<blocks, threads>>>((int*)out, order, 1); });
    run("fill_and_sum_doubles_32" + at, [&] { fill_and_sum<double, 32><<<blocks, threads>>>((double*)out, order, 4); });
    run("fill_and_sum_bytes_64" + at, [&] { fill_and_sum<unsigned char, 64><<<blocks, threads>>>((unsigned char*)out, order, 4); });
    run("fill_and_sum_apart_16" + at, [&] { fill_and_sum_apart<int, 16><<<blocks, threads>>>((int*)out, order, 8); });
    if (n < 1 << 16) run("fill_and_sum_apart_100" + at, [&] { fill_and_sum_apart<int, 100><<<blocks, threads>>>((int*)out, order, 2); });
    run("fill_and_sum_apart_bytes_64" + at, [&] { fill_and_sum_apart<unsigned char, 64><<<blocks, threads>>>((unsigned char*)out, order, 4); });
    run("fill_only_24" + at, [&] { fill_only<int, 24><<<blocks, threads>>>((int*)out, order, 6); });
    run("fill_only_200" + at, [&] { fill_only<int, 200><<<blocks, threads>>>((int*)out, order, 2); });
    run("fill_only_bytes_48" + at, [&] { fill_only<unsigned char, 48><<<blocks, threads>>>((unsigned char*)out, order, 6); });
    run("count_alone_64" + at, [&] { count_alone<unsigned short, 64><<<blocks, threads>>>((const unsigned char*)seeds, (unsigned*)out, n * 48); });
    if (n < 1 << 16) run("count_alone_bytes_256" + at, [&] { count_alone<unsigned char, 256><<<blocks, threads>>>((const unsigned char*)seeds, (unsigned*)out, n * 64); });
    run("count_alone_16" + at, [&] { count_alone<unsigned, 16><<<blocks, threads>>>((const unsigned char*)seeds, (unsigned*)out, n * 64); });
    run("sort_alone_12" + at, [&] { sort_alone<float, 12><<<blocks, threads>>>(numbers, (float*)out, n); });
    run("sort_alone_25" + at, [&] { sort_alone<unsigned, 25><<<blocks, threads>>>(seeds, (unsigned*)out, n); });
    run("sort_alone_bytes_25" + at, [&] { sort_alone<unsigned char, 25><<<blocks, threads>>>((const unsigned char*)seeds, (unsigned char*)out, n); });
    run("walk_tree_32" + at, [&] { walk_tree<32><<<blocks, threads>>>(seeds, (unsigned*)out, 7); });
    run("follow_32" + at, [&] { follow<32><<<blocks, threads>>>((const int*)order, (int*)out, 64); });
    run("ring_12" + at, [&] { ring<12><<<blocks, threads>>>(numbers, (float*)out, 31, 5); });
    run("ring_64" + at, [&] { ring<64><<<blocks, threads>>>(numbers, (float*)out, 31, 17); });
  }
  return 0;
}
