// Clusters of blocks in flight: their shared memory, and their barriers (PTX ISA, barrier.cluster).
#pragma once

#include <vector>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Between the shared memories of two neighbours in a cluster.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << jit::kSharedWindowBits;

// That an address of 32 bits can name; no GPU has clusters of as many blocks.
inline constexpr uint64_t kClusterRanks = 256;

// The blocks of one start together, on one worker. Shared memory of a block lives until all of them have ended.
class Cluster {
 public:
  // Address space for all ranks, so that an address of a block that the cluster lacks is known to be one. False: no
  // memory.
  bool allocate() { return memory_.allocate(kSharedWindow * kClusterRanks); }
  void begin() { members_.clear(), living_ = 0; }
  void add(Block& block);
  // A block of it has ended; true: the last one.
  bool end(const Block& block);

  [[nodiscard]] uint8_t* shared() const { return memory_.data(); }
  [[nodiscard]] const std::vector<Block*>& members() const { return members_; }  // by rank; null: it has ended
  [[nodiscard]] uint64_t first_block() const { return first_block_; }

 private:
  LazyMemory memory_;
  std::vector<Block*> members_;
  uint64_t first_block_ = 0;
  size_t living_ = 0;
};

// The block of the warp's cluster, but for its own, in whose shared memory the bytes are, and which has not ended.
[[nodiscard]] Block* other_owner(const Warp& warp, uint64_t address, uint64_t bytes);

// The block that comes `number`th where one cluster follows the other, of each all blocks by rank.
[[nodiscard]] uint64_t block_in_clusters(const Launch& launch, uint64_t number);

// Where its warps see the block in the grid and in its cluster.
void set_position(const Launch& launch, Block& block, const uint32_t (&place)[3], uint32_t rank);

// Lanes arrive at the cluster's barrier, which completes if they are the last.
void arrive_at_cluster(Warp& warp, uint32_t mask, uint32_t instruction);
// Lanes wait: true if the barrier at which they have arrived has completed.
[[nodiscard]] bool passes_cluster(Warp& warp, uint32_t mask);
// Threads of the block have ended: completes the barrier if it waited for them alone.
void complete_cluster(Block& block);
// Whether a warp of the block waits there.
[[nodiscard]] bool waits_for_cluster(const Block& block);

}  // namespace drywarp::exec
