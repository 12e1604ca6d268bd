// Unknown bytes on their way to and from memory, where they are as unknown. Of what goes to shared or local memory
// nothing is said; what goes to global memory is used, too.
#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/unknown_values.h"

namespace drywarp::exec {

void UnknownValues::note_load(std::vector<observe::UnknownBytes> unknown) {
  std::ranges::move(unknown, std::back_inserter(loaded_));
}

void UnknownValues::note_store(const observe::Access& access) {
  if (access.remote || access.call_slot) return;
  StorePlace& at = stored_.emplace_back();
  at.memory = access.memory, at.lanes = access.lanes;
  std::copy_n(access.memory == Memory::Global ? access.addresses : access.places, kWarpSize, at.places.begin());
}

LaneMask UnknownValues::kept_lanes() const {
  LaneMask lanes = 0;
  for (const StorePlace& at : stored_)
    if (at.memory != Memory::Global) lanes |= at.lanes;
  return lanes;
}

// `fill` says which bytes of which lanes; those whose place is not known are left out.
void UnknownValues::tell_stored(const Step& step, const std::function<void(observe::UnknownBytes&)>& fill,
                                uint32_t origin) const {
  observe::UnknownStore told;
  told.warp = step.warp.warp;
  std::ranges::fill(told.what.bytes, 0u);
  told.what.origin = origin;
  fill(told.what);
  LaneMask unknown = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) unknown |= uint32_t{told.what.bytes[lane] != 0} << lane;
  for (const StorePlace& at : stored_) {
    told.memory = at.memory, told.places = at.places.data(), told.what.lanes = at.lanes & unknown & step.lanes;
    if (told.what.lanes != 0) tell(*step.warp.owner, &observe::BlockObserver::unknown_store, told);
  }
}

void UnknownValues::store(Step& step) {
  use_addresses(step);
  const unsigned bytes = byte_count(step.in.type), element = ir::bits(step.in.type) / 8;
  const LaneMask kept = kept_lanes();
  if (!stored_.empty())
    for (const uint32_t origin : origins_of(step))
      tell_stored(
          step,
          [&](observe::UnknownBytes& what) {
            for (size_t e = 0; e < step.in.src.size(); ++e) {
              if (step.in.src[e].kind != ir::Operand::Kind::Register) continue;
              for (const Part& part : (*registers_)[step.in.src[e].id]) {
                if (part.origin != origin) continue;
                for (unsigned k = 0; k < bytes; ++k)
                  for (LaneMask left = part.bytes[k]; left != 0; left &= left - 1)
                    what.bytes[std::countr_zero(left)] |= 1u << (e * element + k);
              }
            }
          },
          origin);
  Step elsewhere = step;
  elsewhere.lanes &= ~kept;
  use_sources(elsewhere, How::Store, bytes);
}

void UnknownValues::copy(Step& step) {
  use_addresses(step);
  use_sources(step, How::Atomic, byte_count(step.in.type));
  for (const observe::UnknownBytes& loaded : loaded_) {
    const LaneMask used = loaded.lanes & step.lanes & ~kept_lanes();
    if (used != 0) tell_use(step, How::Store, loaded.origin, used);
    tell_stored(
        step,
        [&](observe::UnknownBytes& what) {
          for (LaneMask left = loaded.lanes; left != 0; left &= left - 1)
            what.bytes[std::countr_zero(left)] = loaded.bytes[std::countr_zero(left)];
        },
        loaded.origin);
  }
}

void UnknownValues::access_atomically(Step& step) {
  use_addresses(step);
  use_sources(step, How::Atomic, byte_count(step.in.type));
  if (step.in.mods.atom == ir::AtomOp::Exch) return derive(step, &UnknownValues::load);
  for (const ir::Operand& o : step.in.dst)
    if (o.kind == ir::Operand::Kind::Register) set(o.id, {}, step.lanes);
}

}  // namespace drywarp::exec
