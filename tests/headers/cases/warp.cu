// Votes, shuffles, matches and reductions are the warp's instructions, whatever the type.
// ptx: shfl.sync.bfly.b32
// ptx: shfl.sync.down.b32
// ptx: shfl.sync.idx.b32
// ptx: vote.sync.ballot.b32
// ptx: vote.sync.any.pred
// ptx: match.any.sync.b32
// ptx: match.all.sync.b64
// ptx: redux.sync.add.s32
// ptx: redux.sync.umax.s32|redux.sync.max.u32
// ptx: activemask.b32
// ptx: bar.warp.sync
// no ptx: call
#include <cuda_fp16.h>

__global__ void warp(int* i, double* d, __half* h, long long* l) {
  const unsigned all = 0xffffffffu;
  i[0] = __shfl_xor_sync(all, i[0], 1) + __reduce_add_sync(all, i[1]) + __any_sync(all, i[2]);
  d[0] = __shfl_down_sync(all, d[0], 2);
  h[0] = __shfl_sync(all, h[0], 3);
  i[1] = static_cast<int>(__ballot_sync(all, i[3]) + __match_any_sync(all, i[4]) + __reduce_max_sync(all, 5u));
  int same = 0;
  l[0] = __match_all_sync(all, l[1], &same);
  __syncwarp();
  i[2] = __shfl(i[2], 0) + __any(same) + __shfl_up(i[5], 1u);
}
