// Decoupled look-back scans: with status and value apart, volatile and plain, and in one word. The fault: no fence between a
// plain value and its status.
// VARIANT: -D FAULT
// FINDS: read-write @VALUE @READ
#include <cstdio>
// Scan with decoupled look-back: status and values apart, with fences; blocks take their tiles by a ticket.
constexpr int B = 128, TILES = 24;
enum { NONE = 0, PARTIAL = 1, PREFIX = 2 };
struct Tile {
  int status, partial, prefix;
};
__device__ void publish(Tile* t, int value, int status) {
  if (status == PARTIAL) *(volatile int*)&t->partial = value; else *(volatile int*)&t->prefix = value;
  __threadfence();
  *(volatile int*)&t->status = status;
}
__device__ void publish_plain(Tile* t, int value, int status) {
  if (status == PARTIAL) t->partial = value; else t->prefix = value;  // @VALUE
#ifndef FAULT
  __threadfence();
#endif
  atomicExch(&t->status, status);
}
template <bool Plain>
__global__ void scan(const int* in, int* out, Tile* tiles, unsigned* ticket) {
  __shared__ int sums[B];
  __shared__ int exclusive;
  __shared__ unsigned tile;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned mine = tile;
  int v = in[mine * B + t];
  sums[t] = v;
  __syncthreads();
  for (int d = 1; d < B; d *= 2) {
    const int add = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    const int total = sums[B - 1];
    if (Plain) publish_plain(&tiles[mine], total, mine == 0 ? PREFIX : PARTIAL); else publish(&tiles[mine], total, mine == 0 ? PREFIX : PARTIAL);
    int before = 0;
    for (int back = (int)mine - 1; back >= 0;) {
      const int status = Plain ? atomicAdd(&tiles[back].status, 0) : *(volatile int*)&tiles[back].status;
      __threadfence();
      if (status == NONE) continue;
      if (status == PREFIX) { before += Plain ? tiles[back].prefix : *(volatile int*)&tiles[back].prefix; break; }  // @READ
      before += Plain ? tiles[back].partial : *(volatile int*)&tiles[back].partial;
      --back;
    }
    exclusive = before;
    if (mine != 0) { if (Plain) publish_plain(&tiles[mine], before + total, PREFIX); else publish(&tiles[mine], before + total, PREFIX); }
  }
  __syncthreads();
  out[mine * B + t] = sums[t] + exclusive;
}
// Status and value in one 64-bit word.
__global__ void scan_packed(const int* in, int* out, unsigned long long* words, unsigned* ticket) {
  __shared__ int warp_sums[B / 32];
  __shared__ int exclusive;
  __shared__ unsigned tile;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int v = in[tile * B + t];
  for (int d = 1; d < 32; d *= 2) {
    const int up = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += up;
  }
  if (lane == 31) warp_sums[warp] = v;
  __syncthreads();
  int total = 0, before_warp = 0;
  for (int w = 0; w < B / 32; ++w) {
    if (w == warp) before_warp = total;
    total += warp_sums[w];
  }
  const auto word = [](int status, int value) { return (unsigned long long)status << 32 | (unsigned)value; };
  if (warp == 0) {
    if (lane == 0) atomicExch(&words[tile], word(tile == 0 ? PREFIX : PARTIAL, total));
    int before = 0;
    for (int back = (int)tile - 1 - lane;; back -= 32) {
      unsigned long long seen = word(PREFIX, 0);
      if (back >= 0) do seen = atomicAdd(&words[back], 0ull); while (seen >> 32 == NONE);
      const unsigned prefix = __ballot_sync(~0u, seen >> 32 == PREFIX);
      const int first = __ffs(prefix);
      int value = prefix != 0 && lane >= first ? 0 : (int)seen;
      for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
      before += value;
      if (prefix != 0) break;
    }
    if (lane == 0) {
      if (tile != 0) atomicExch(&words[tile], word(PREFIX, before + total));
      exclusive = before;
    }
  }
  __syncthreads();
  out[tile * B + t] = v + before_warp + exclusive;
}
int main() {
  const int n = B * TILES;
  static int host[B * TILES];
  int *in, *out;
  Tile* tiles;
  unsigned* ticket;
  unsigned long long* words;
  cudaMalloc(&in, n * 4), cudaMalloc(&out, n * 4), cudaMalloc(&tiles, TILES * sizeof(Tile)), cudaMalloc(&ticket, 4), cudaMalloc(&words, TILES * 8);
  for (int i = 0; i < n; ++i) host[i] = i % 7;
  cudaMemcpy(in, host, n * 4, cudaMemcpyHostToDevice);
  for (int kind = 0; kind < 3; ++kind) {
    cudaMemset(tiles, 0, TILES * sizeof(Tile)), cudaMemset(ticket, 0, 4), cudaMemset(words, 0, TILES * 8);
    if (kind == 0) scan<false><<<TILES, B>>>(in, out, tiles, ticket);
    if (kind == 1) scan<true><<<TILES, B>>>(in, out, tiles, ticket);
    if (kind == 2) scan_packed<<<TILES, B>>>(in, out, words, ticket);
    cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < n; ++i) { sum += i % 7; if (host[i] != sum) return printf("kind %d: out[%d] = %d, not %d\n", kind, i, host[i], sum), 1; }
  }
  cudaFree(in), cudaFree(out), cudaFree(tiles), cudaFree(ticket), cudaFree(words);
  puts("ok");
}
