// Facts of a kernel that a test describes access by access: every warp does the same.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "advised.h"
#include "base/access/access_pattern.h"
#include "profile/advice/address_base.h"

namespace drywarp::advice {

struct TestAccess {
  uint32_t line = 1;
  std::string text;  // PTX
  Memory memory = Memory::Global;
  metrics::AccessKind kind = metrics::AccessKind::Load;
  unsigned bytes = 4;
  std::function<uint64_t(unsigned lane)> address;
  uint64_t requests_a_warp = 1;
  LaneMask lanes = ~0u;
  AccessReuse reuse = {};
};

class TestKernel {
 public:
  explicit TestKernel(record::Extent block = {256, 1, 1}, uint64_t warps = 1000) : block_(block), warps_(warps) {}

  TestKernel& source(uint32_t line, std::string text) {
    lines_[line] = std::move(text);
    return *this;
  }
  // PTX that computes addresses.
  TestKernel& code(const std::string& text, uint64_t times_a_warp = 1) {
    InstructionInfo& info = kept_->infos.emplace_back();
    info.text = text;
    info.klass = InstructionClass::Integer;
    add(info, times_a_warp);
    return *this;
  }
  TestKernel& access(const TestAccess& a) {
    InstructionInfo& info = kept_->infos.emplace_back();
    info.text = a.text, info.line = a.line, info.file = 0, info.memory = a.memory;
    info.access = uint32_t(kept_->infos.size()), info.access_bytes = uint8_t(a.bytes);
    info.load = a.kind == metrics::AccessKind::Load, info.store = a.kind == metrics::AccessKind::Store;
    info.atomic = a.kind == metrics::AccessKind::Atomic;
    info.klass = info.atomic ? InstructionClass::Atomic : InstructionClass::LoadStore;
    InstructionFacts& facts = add(info, a.requests_a_warp);
    AccessSample& sample = kept_->samples.emplace_back();
    sample.access = info.access, sample.memory = a.memory, sample.size = info.access_bytes, sample.lanes = a.lanes;
    sample.op = info.atomic ? SharedOp::Atomic : info.store ? SharedOp::Store : SharedOp::Load;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) sample.addresses[lane] = a.address(lane);
    sample.reuse = a.reuse;
    facts.sample = &sample;
    count(a, sample, facts.sums.accesses[size_t(a.memory)][size_t(a.kind)]);
    return *this;
  }
  TestKernel& limiter(const LimiterFacts& limiter) {
    limiter_ = limiter;
    return *this;
  }
  TestKernel& shared_bytes(uint64_t bytes) {
    shared_bytes_ = bytes;
    return *this;
  }

  [[nodiscard]] Facts facts() const {
    Facts f;
    f.block = block_, f.grid = {uint32_t(warps_ * 32 / std::max(1u, block_.x * block_.y)), 1, 1};
    f.shared_bytes = shared_bytes_;
    f.instructions.assign(instructions_.begin(), instructions_.end());
    f.source = [lines = lines_, kept = kept_](const std::string&, uint32_t line) {
      const auto text = lines.find(line);
      return text == lines.end() ? std::string() : text->second;
    };
    f.metric = [warps = warps_](const std::string& name) {
      return name == "smsp__warps_launched.sum" ? std::optional(double(warps)) : std::nullopt;
    };
    f.limiter = limiter_;
    find_address_bases(f);
    return f;
  }

 private:
  InstructionFacts& add(const InstructionInfo& info, uint64_t times) {
    InstructionFacts& facts = instructions_.emplace_back();
    facts.info = &info, facts.file = "t.cu";
    facts.sums.classes[size_t(info.klass)].warps = warps_ * times;
    return facts;
  }
  void count(const TestAccess& a, const AccessSample& sample, metrics::AccessSums& sums) const {
    const uint64_t requests = warps_ * a.requests_a_warp;
    sums.requests = requests;
    uint64_t units = 0, ideal = 0;
    if (a.memory == Memory::Shared) {
      const SharedAccess cost = analyze_shared(sample.addresses.data(), a.lanes, a.bytes, sample.op);
      units = cost.wavefronts, ideal = cost.ideal_wavefronts;
    } else {
      const GlobalAccess cost = analyze_global(sample.addresses.data(), a.lanes, a.bytes);
      units = cost.sectors, ideal = cost.ideal_sectors;
    }
    sums.units = requests * units, sums.ideal_units = requests * ideal;
    sums.excess = units > ideal ? requests * (units - ideal) : 0;
    if (a.kind != metrics::AccessKind::Atomic) return;
    const AtomicAccess atomic = analyze_atomic(sample.addresses.data(), a.lanes);
    sums.atomic_rounds = requests * atomic.max_same, sums.atomic_addresses = requests * atomic.addresses;
  }

  record::Extent block_;
  uint64_t warps_, shared_bytes_ = 0;
  // What facts point to; they keep it.
  struct Kept {
    std::deque<InstructionInfo> infos;
    std::deque<AccessSample> samples;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::deque<InstructionFacts> instructions_;
  std::map<uint32_t, std::string> lines_;
  LimiterFacts limiter_;
};

}  // namespace drywarp::advice
