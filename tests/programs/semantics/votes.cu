// Votes, matches, warp reductions, active masks and lane masks.
#include "check.h"

__global__ void vote(unsigned* out, const int* in) {
  int t = threadIdx.x;
  unsigned* o = out + t * 4;
  o[0] = __ballot_sync(~0u, in[t] > 5);
  o[1] = __all_sync(~0u, in[t] > 0);
  o[2] = __any_sync(~0u, in[t] > 8);
  o[3] = __all_sync(~0u, in[t] == in[t / 32 * 32]);
}

__global__ void vote_in_branch(unsigned* out) {
  int t = threadIdx.x;
  if (t % 3 == 0) {
    out[t] = __ballot_sync(0x49249249u, t % 2);
  } else {
    out[t] = __ballot_sync(0xb6db6db6u, t % 2);
  }
}

__global__ void match(unsigned* out, const int* in) {
  int t = threadIdx.x, pred;
  out[3 * t] = __match_any_sync(~0u, in[t]);
  out[3 * t + 1] = __match_all_sync(~0u, in[t], &pred) * 1u;
  out[3 * t + 1] ^= pred ? 0x80000000u : 0u;
  out[3 * t + 2] = __match_any_sync(~0u, static_cast<unsigned long long>(in[t]) << 32 | 1);
}

__global__ void reduce(unsigned* out, const int* in) {
  int t = threadIdx.x;
  unsigned u = in[t];
  unsigned* o = out + 8 * t;
  o[0] = __reduce_add_sync(~0u, u);
  o[1] = __reduce_min_sync(~0u, in[t] - 6);
  o[2] = __reduce_max_sync(~0u, u);
  o[3] = __reduce_and_sync(~0u, u | 0x100);
  o[4] = __reduce_or_sync(~0u, u);
  o[5] = __reduce_xor_sync(~0u, u);
  o[6] = t % 2 ? __reduce_add_sync(0xaaaaaaaau, u) : __reduce_add_sync(0x55555555u, u);
  o[7] = __reduce_min_sync(~0u, u - 6);
}

__global__ void active(unsigned* out) {
  int t = threadIdx.x;
  out[t] = 0;
  if (t % 4 == 1) out[t] = __activemask();
}

__global__ void lane_masks(unsigned* out) {
  unsigned* o = out + 7 * threadIdx.x;
  asm("mov.u32 %0, %%laneid;" : "=r"(o[0]));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(o[1]));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(o[2]));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(o[3]));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(o[4]));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(o[5]));
  asm("mov.u32 %0, %%warpid;" : "=r"(o[6]));
}

// A rank among the lanes below, as scans of flags compute it: each lane's mask has those lanes, and not itself. PTX
// leaves that undefined; lanes that execute it together get the votes of the lanes in their masks.
__global__ void rank_below(int* out, const int* in) {
  const int t = threadIdx.x;
  out[t] = __popc(__ballot_sync((1u << t % 32) - 1, in[t] > 5));
}

// Four tiles of 8 lanes, each with its own mask, in one instruction.
__global__ void tiles(unsigned* out, const int* in) {
  const int t = threadIdx.x;
  const unsigned mask = 0xffu << t % 32 / 8 * 8;
  out[t] = __ballot_sync(mask, in[t] > 5) | (__any_sync(mask, in[t] > 8) ? 1u << (31 - t % 32 / 8 * 8) : 0u);
}

int main() {
  for (int pattern : {0, 1, 2}) {
    std::vector<int> in(64);
    for (int i = 0; i < 64; ++i) in[i] = pattern == 0 ? i % 10 : pattern == 1 ? 9 : (i * 7) % 4;
    Buffer<int> device_in(in);
    Buffer<unsigned> out(64 * 4);
    vote<<<1, 64>>>(out, device_in);
    CK_LAUNCH();
    std::vector<unsigned> want(64 * 4), want_match(64 * 3), want_reduce(64 * 8);
    for (int t = 0; t < 64; ++t) {
      const int* w = &in[t / 32 * 32];
      unsigned ballot = 0, all = 1, any = 0, same = 1, peers = 0, equal = 0;
      unsigned sum = 0, umax = 0, land = ~0u, lor = 0, lxor = 0, half = 0, umin = ~0u;
      int smin = 1 << 30;
      for (int k = 0; k < 32; ++k) {
        ballot |= (w[k] > 5) << k;
        all &= w[k] > 0;
        any |= w[k] > 8;
        same &= w[k] == w[0];
        peers |= unsigned(w[k] == in[t]) << k;
        unsigned u = w[k];
        sum += u, land &= u | 0x100, lor |= u, lxor ^= u;
        umax = u > umax ? u : umax;
        umin = u - 6 < umin ? u - 6 : umin;
        smin = w[k] - 6 < smin ? w[k] - 6 : smin;
        if (k % 2 == t % 2) half += u;
      }
      equal = same ? ~0u ^ 0x80000000u : 0;
      unsigned w1[4] = {ballot, all, any, same};
      unsigned w2[3] = {peers, equal, peers};
      unsigned w3[8] = {sum, unsigned(smin), umax, land, lor, lxor, half, umin};
      std::memcpy(&want[4 * t], w1, sizeof w1);
      std::memcpy(&want_match[3 * t], w2, sizeof w2);
      std::memcpy(&want_reduce[8 * t], w3, sizeof w3);
    }
    expect_same("vote", out.get(), want);
    Buffer<unsigned> out_match(64 * 3), out_reduce(64 * 8);
    match<<<1, 64>>>(out_match, device_in);
    CK_LAUNCH();
    expect_same("match", out_match.get(), want_match);
    reduce<<<1, 64>>>(out_reduce, device_in);
    CK_LAUNCH();
    expect_same("reduce", out_reduce.get(), want_reduce);
  }
  {
    Buffer<unsigned> out(32);
    vote_in_branch<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<unsigned> want(32);
    for (int i = 0; i < 32; ++i) want[i] = (i % 3 == 0 ? 0x49249249u : 0xb6db6db6u) & 0xaaaaaaaau;
    expect_same("vote_in_branch", out.get(), want);
  }
  {
    Buffer<unsigned> out(40);
    active<<<1, 40>>>(out);
    CK_LAUNCH();
    std::vector<unsigned> want(40, 0);
    for (int i = 0; i < 40; ++i)
      if (i % 4 == 1) want[i] = i < 32 ? 0x22222222u : 0x22u;
    expect_same("active", out.get(), want);
  }
  {
    Buffer<unsigned> out(64 * 7);
    lane_masks<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<unsigned> want;
    for (unsigned t = 0; t < 64; ++t) {
      unsigned lane = t % 32, eq = 1u << lane, lt = eq - 1;
      for (unsigned v : {lane, eq, lt, lt | eq, ~(lt | eq), ~lt, t / 32}) want.push_back(v);
    }
    expect_same("lane_masks", out.get(), want);
  }
  {
    std::vector<int> in(64), want_ranks;
    for (int i = 0; i < 64; ++i) in[i] = i * 7 % 11;
    Buffer<int> device_in(in), ranks(64);
    Buffer<unsigned> of_tiles(64);
    rank_below<<<1, 64>>>(ranks, device_in);
    tiles<<<1, 64>>>(of_tiles, device_in);
    CK_LAUNCH();
    std::vector<unsigned> want_tiles;
    for (int t = 0; t < 64; ++t) {
      int rank = 0;
      for (int i = t / 32 * 32; i < t; ++i) rank += in[i] > 5;
      want_ranks.push_back(rank);
      unsigned ballot = 0;
      for (int i = t / 8 * 8; i < t / 8 * 8 + 8; ++i) {
        ballot |= in[i] > 5 ? 1u << i % 32 : 0u;
        ballot |= in[i] > 8 ? 1u << (31 - t % 32 / 8 * 8) : 0u;
      }
      want_tiles.push_back(ballot);
    }
    expect_same("rank_below", ranks.get(), want_ranks);
    expect_same("tiles", of_tiles.get(), want_tiles);
  }
  return finish();
}
