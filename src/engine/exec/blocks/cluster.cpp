#include "engine/exec/blocks/cluster.h"

#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

// A block without a cluster is one.
template <class Visit>
void for_blocks(Block& block, Visit visit) {
  if (!block.cluster) return visit(block);
  for (Block* member : block.cluster->members())
    if (member) visit(*member);
}

struct Arrivals {
  bool any = false, all = true;
};
Arrivals arrivals(Block& block) {
  Arrivals now;
  for_blocks(block, [&](Block& b) {
    for (const auto& warp : b.warps) {
      now.any |= warp->at_cluster != 0;
      now.all = now.all && (warp->state == Warp::State::Done || (living(*warp) & ~warp->at_cluster) == 0);
    }
  });
  return now;
}

uint32_t waiting(const Warp& warp) {
  if (!warp.grouped)
    return warp.state == Warp::State::AtBarrier && warp.barrier == jit::kClusterBarrier ? warp.barrier_mask : 0;
  uint32_t mask = 0;
  for (const LaneGroup& g : warp.groups)
    if (g.state == LaneGroup::State::AtBarrier && g.barrier == jit::kClusterBarrier) mask |= g.mask;
  return mask;
}

observe::ClusterBarrier event_of(const Warp& warp, uint32_t mask) {
  const Block& block = *warp.owner;
  observe::ClusterBarrier event;
  event.warp = warp.warp, event.lanes = mask;
  event.cluster = block.cluster ? block.cluster->first_block() : block.index;
  event.phase = block.cluster_phases;
  return event;
}

// Lanes pass a barrier that has completed.
void tell_passed(const Warp& warp, uint32_t mask) {
  if (mask == 0 || !has_listeners(*warp.owner)) return;
  observe::ClusterBarrier event = event_of(warp, mask);
  event.passes = true;
  --event.phase;
  tell(*warp.owner, &observe::BlockObserver::cluster_barrier, event);
}

void complete(Block& block) {
  for_blocks(block, [](Block& b) {
    ++b.cluster_phases;
    for (const auto& warp : b.warps) {
      warp->at_cluster = 0;
      tell_passed(*warp, waiting(*warp));
      if (warp->grouped)
        release_groups(*warp, jit::kClusterBarrier);
      else if (waiting(*warp) != 0)
        warp->state = Warp::State::Ready;
    }
  });
}

}  // namespace

Worker::Worker() = default;
Worker::~Worker() = default;

void Cluster::add(Block& block) {
  if (members_.empty()) first_block_ = block.index;
  members_.push_back(&block);
  ++living_;
}

bool Cluster::end(const Block& block) {
  *std::ranges::find(members_, &block) = nullptr;
  return --living_ == 0;
}

Block* other_owner(const Warp& warp, uint64_t address, uint64_t bytes) {
  const Cluster* const cluster = warp.owner->cluster;
  if (!cluster) return nullptr;
  const uint64_t place = address - reinterpret_cast<uint64_t>(cluster->shared());
  const uint64_t rank = place / kSharedWindow, offset = place % kSharedWindow;
  if (rank >= cluster->members().size() || rank == warp.cluster_ctarank) return nullptr;
  const uint64_t size = warp.worker->launch->shared_bytes;
  return offset <= size && bytes <= size - offset ? cluster->members()[rank] : nullptr;
}

uint64_t block_in_clusters(const Launch& launch, uint64_t number) {
  const Dim3 &grid = launch.grid, &size = launch.cluster;
  const uint64_t cluster = number / size.count(), rank = number % size.count();
  const uint64_t columns = grid.x / size.x, rows = grid.y / size.y;
  const uint64_t x = cluster % columns * size.x + rank % size.x;
  const uint64_t y = cluster / columns % rows * size.y + rank / size.x % size.y;
  const uint64_t z = cluster / columns / rows * size.z + rank / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

void set_position(const Launch& launch, Block& block, const uint32_t (&place)[3], uint32_t rank) {
  const uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t size[3] = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  uint32_t cluster[3], clusters[3], within[3];
  for (unsigned d = 0; d < 3; ++d)
    cluster[d] = place[d] / size[d], clusters[d] = grid[d] / size[d], within[d] = place[d] % size[d];
  for (const auto& warp : block.warps) {
    std::ranges::copy(place, warp->ctaid);
    std::ranges::copy(cluster, warp->clusterid);
    std::ranges::copy(clusters, warp->nclusterid);
    std::ranges::copy(within, warp->cluster_ctaid);
    std::ranges::copy(size, warp->cluster_nctaid);
    warp->cluster_ctarank = rank;
    warp->cluster_nctarank = static_cast<uint32_t>(launch.cluster.count());
    warp->is_explicit_cluster = launch.explicit_cluster;
    warp->shared = block.shared;
    warp->cluster_shared = block.cluster ? block.cluster->shared() : block.shared;
  }
}

void arrive_at_cluster(Warp& warp, uint32_t mask, uint32_t instruction) {
  Block& block = *warp.owner;
  if (has_listeners(block)) {
    observe::ClusterBarrier event = event_of(warp, mask);
    event.order = running_code(warp).instructions[instruction].mods.order;
    event.first = !arrivals(block).any;
    tell(block, &observe::BlockObserver::cluster_barrier, event);
  }
  warp.at_cluster |= mask;
  if (living(warp) == warp.at_cluster && arrivals(block).all) complete(block);
}

bool passes_cluster(Warp& warp, uint32_t mask) {
  if ((warp.at_cluster & mask) != 0) return false;
  tell_passed(warp, mask);
  return true;
}

void complete_cluster(Block& block) {
  const Arrivals now = arrivals(block);
  if (now.any && now.all) complete(block);
}

bool waits_for_cluster(const Block& block) {
  return std::ranges::any_of(block.warps, [](const auto& warp) { return waiting(*warp) != 0; });
}

}  // namespace drywarp::exec
