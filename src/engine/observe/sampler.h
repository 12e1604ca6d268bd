// Keeps the costliest access of each memory instruction, with its lanes' addresses.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/events/access_sample.h"
#include "engine/observe/observer.h"

namespace drywarp::observe {

// By instruction and memory.
using Samples = std::map<std::pair<uint32_t, Memory>, AccessSample>;

class BlockSampler : public BlockObserver {
 public:
  BlockSampler(uint64_t block, const SharedBanks& banks) : block_(block), banks_(banks) {}
  void access(const Access& access) override;
  [[nodiscard]] const Samples& samples() const { return samples_; }

 private:
  const uint64_t block_;
  const SharedBanks banks_;
  Samples samples_;
};

// Watches every block, or is fed with the blocks of another observer (Tracer).
class Sampler : public Observer {
 public:
  explicit Sampler(const SharedBanks& banks) : banks_(banks) {}

  [[nodiscard]] RunEvents events() const override { return {.accesses = true}; }
  [[nodiscard]] BlockRange next(uint64_t block) const override { return {block}; }
  std::unique_ptr<BlockObserver> begin(uint64_t block) override { return sampler_of(block); }
  void end(std::unique_ptr<BlockObserver> block) override { add(static_cast<BlockSampler&>(*block)); }

  [[nodiscard]] std::unique_ptr<BlockSampler> sampler_of(uint64_t block) const {
    return std::make_unique<BlockSampler>(block, banks_);
  }
  void add(const BlockSampler& block);

  // By instruction, then by memory.
  [[nodiscard]] std::vector<AccessSample> samples() const;

 private:
  const SharedBanks banks_;
  mutable std::mutex mutex_;
  Samples samples_;
};

}  // namespace drywarp::observe
