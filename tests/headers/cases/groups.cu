// Cooperative groups: the grid's barrier reads its workspace from %envreg1 and %envreg2; tiles shuffle with their own
// mask. ptx: %envreg1 ptx: %envreg2 ptx: barrier.sync|bar.sync ptx: membar.gl|fence ptx: ld.volatile ptx:
// redux.sync.add.s32 ptx: shfl.sync.bfly.b32 ptx: cp.async.cg.shared.global ptx: cp.async.wait_group no ptx: call
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void groups(int* i, float* f, const float* in) {
  __shared__ __align__(16) float staged[256];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  i[0] = cg::reduce(warp, i[1], cg::plus<int>());
  f[0] = cg::reduce(tile, f[1], cg::greater<float>());
  i[2] = cg::inclusive_scan(warp, i[3]);
  cg::memcpy_async(block, staged, in, sizeof(staged));
  cg::wait(block);
  f[2] = staged[block.thread_rank() % 256];
  cg::coalesced_group active = cg::coalesced_threads();
  i[4] = active.shfl(i[5], 0) + static_cast<int>(cg::labeled_partition(active, i[6]).size());
  cg::grid_group grid = cg::this_grid();
  grid.sync();
  i[7] = static_cast<int>(grid.thread_rank());
}
