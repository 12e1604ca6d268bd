// The tiles of a matrix product: a block sums a tile of op(A) op(B) from tiles in shared memory, a thread 4 x 4 elements.
#pragma once

#include <cstdint>

#include "numbers.h"

namespace drywarp::dense {

inline constexpr int kTile = 64, kDepth = 16, kThreads = 256, kMine = 4;
inline constexpr int kSide = kTile / kMine;               // threads along each side of a tile
inline constexpr int kLoads = kTile * kDepth / kThreads;  // elements of each operand's tile that a thread loads
static_assert(kSide * kSide == kThreads && kTile * kDepth % kThreads == 0);

// One operand: `count` rows (of op(B): columns), whose elements are `along` apart; along the sum they are `across` apart.
template <class T>
struct Factor {
  const T* data;
  int64_t count, along, across;
  bool conjugated = false;
};

// Loads a tile, kTile rows from `first` on and kDepth along the sum. Neighbouring threads load neighbours in memory.
template <class Sum, class T>
__device__ void load_tile(Sum (&tile)[kDepth][kTile + 1], const Factor<T>& from, int64_t first, int64_t depth,
                          int64_t sums) {
  const bool outer_is_near = from.along == 1;
  for (int load = 0; load < kLoads; ++load) {
    const int id = int(threadIdx.x) + load * kThreads;
    const int i = outer_is_near ? id % kTile : id / kDepth, l = outer_is_near ? id / kTile : id % kDepth;
    const bool inside = first + i < from.count && depth + l < sums;
    const Sum value = inside ? Sum(from.data[(first + i) * from.along + (depth + l) * from.across]) : Sum(0);
    tile[l][i] = conjugate_if(from.conjugated, value);
  }
}

// Adds to `sums` this thread's elements of the tile at (row, column): those at kSide apart from my_row() and my_column().
template <class Sum, class A, class B>
__device__ void sum_tile(Sum (&sums)[kMine][kMine], const Factor<A>& a, const Factor<B>& b, int64_t k, int64_t row,
                         int64_t column) {
  __shared__ Sum a_tile[kDepth][kTile + 1], b_tile[kDepth][kTile + 1];
  const int my_row = int(threadIdx.x) % kSide, my_column = int(threadIdx.x) / kSide;
  for (int64_t depth = 0; depth < k; depth += kDepth) {
    load_tile(a_tile, a, row, depth, k);
    load_tile(b_tile, b, column, depth, k);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      Sum mine_a[kMine], mine_b[kMine];
      for (int i = 0; i < kMine; ++i) mine_a[i] = a_tile[l][my_row + i * kSide];
      for (int j = 0; j < kMine; ++j) mine_b[j] = b_tile[l][my_column + j * kSide];
      for (int i = 0; i < kMine; ++i)
        for (int j = 0; j < kMine; ++j) sums[i][j] += mine_a[i] * mine_b[j];
    }
    __syncthreads();
  }
}

// What is done with each element of this thread's that lies in an m x n matrix: element(row, column, sum).
template <class Sum, class Element>
__device__ void for_my_elements(const Sum (&sums)[kMine][kMine], int64_t m, int64_t n, int64_t row, int64_t column,
                                Element&& element) {
  const int my_row = int(threadIdx.x) % kSide, my_column = int(threadIdx.x) / kSide;
  for (int j = 0; j < kMine; ++j)
    for (int i = 0; i < kMine; ++i) {
      const int64_t at_row = row + my_row + i * kSide, at_column = column + my_column + j * kSide;
      if (at_row < m && at_column < n) element(at_row, at_column, sums[i][j]);
    }
}

}  // namespace drywarp::dense
