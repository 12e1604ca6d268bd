#include "engine/observe/sampler.h"

#include <bit>

#include "engine/observe/traced_access.h"

namespace drywarp::observe {
namespace {

void keep(Samples& samples, const AccessSample& sample) {
  const auto [known, is_new] = samples.try_emplace({sample.access, sample.memory}, sample);
  if (!is_new && sample.outranks(known->second)) known->second = sample;
}

}  // namespace

void BlockSampler::access(const Access& a) {
  AccessSample s;
  s.access = a.access, s.memory = a.memory, s.size = static_cast<uint8_t>(a.bytes), s.lanes = a.lanes;
  s.block = block_, s.warp = a.warp;
  s.atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
  for (LaneMask left = a.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    s.addresses[lane] = a.places[lane];
  }
  switch (a.memory) {
    case Memory::Shared:
      s.banks = banks_;
      s.op = shared_op(a);
      s.units = analyze_shared(s.addresses.data(), s.lanes, a.bytes, s.op, s.banks).wavefronts;
      break;
    case Memory::Local:
      s.units = analyze_local(s.addresses.data(), s.lanes, a.bytes).sectors;
      break;
    case Memory::Global:
      s.units = s.atomic ? analyze_atomic(s.addresses.data(), s.lanes).sectors
                         : analyze_global(s.addresses.data(), s.lanes, a.bytes).sectors;
      break;
  }
  keep(samples_, s);
}

void Sampler::add(const BlockSampler& block) {
  const std::lock_guard hold(mutex_);
  for (const auto& [key, sample] : block.samples()) keep(samples_, sample);
}

std::vector<AccessSample> Sampler::samples() const {
  const std::lock_guard hold(mutex_);
  std::vector<AccessSample> all;
  for (const auto& [key, sample] : samples_) all.push_back(sample);
  return all;
}

}  // namespace drywarp::observe
