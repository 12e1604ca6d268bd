// Texture fetches, gathers and queries, and accesses to surfaces, lane by lane.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/events/warp_trace.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"
#include "engine/exec/textures/sampling.h"
#include "engine/exec/textures/surface.h"
#include "engine/exec/textures/texture_table.h"

namespace drywarp::exec {
namespace {

using ir::Geometry;
using ir::Opcode;

// The values of 32 lanes, one source or result after another.
struct Lanes {
  const uint64_t* operands;
  uint64_t* results;
  [[nodiscard]] uint64_t operand(unsigned number, unsigned lane) const { return operands[number * kWarpSize + lane]; }
  [[nodiscard]] float real(unsigned number, unsigned lane) const {
    return std::bit_cast<float>(static_cast<uint32_t>(operand(number, lane)));
  }
  [[nodiscard]] int32_t integer(unsigned number, unsigned lane) const {
    return static_cast<int32_t>(operand(number, lane));
  }
  void set(unsigned number, unsigned lane, uint64_t value) const { results[number * kWarpSize + lane] = value; }
};

struct Dimensions {
  unsigned count;
  bool layered, cube;
};
constexpr Dimensions kDimensions[] = {{0, false, false}, {1, false, false}, {2, false, false}, {3, false, false},
                                      {1, true, false},  {2, true, false},  {3, false, true},  {3, true, true}};
const Dimensions& dimensions(const ir::Instruction& in) {
  return kDimensions[static_cast<size_t>(in.mods.texture.geometry)];
}

// Derivatives stand behind the coordinates: of x, then of y, each padded as coordinates are.
float level(const Texture& texture, const ir::Instruction& in, const Lanes& lanes, unsigned lane, unsigned next) {
  if (in.mods.texture.level == ir::MipLevel::Level) return lanes.real(next, lane);
  if (in.mods.texture.level != ir::MipLevel::Grad) return 0;
  const unsigned count = dimensions(in).count, padded = count == 3 ? 4 : count;
  std::array<float, 3> dx{}, dy{};
  for (unsigned d = 0; d < count; ++d) dx[d] = lanes.real(next + d, lane), dy[d] = lanes.real(next + padded + d, lane);
  return level_of(texture, count, dx, dy);
}

SamplePlace sample_place(const Texture& texture, const ir::Instruction& in, const Lanes& lanes, unsigned lane) {
  const Dimensions& d = dimensions(in);
  SamplePlace place;
  place.dimensions = d.count, place.cube = d.cube, place.layered = d.layered;
  unsigned next = 0;
  if (d.layered) place.layer = static_cast<uint32_t>(lanes.operand(next++, lane));
  place.whole = in.op == Opcode::Tex && in.type2 != ir::Type::F32;
  for (unsigned i = 0; i < d.count; ++i) {
    if (place.whole)
      place.index[i] = lanes.integer(next + i, lane);
    else
      place.at[i] = lanes.real(next + i, lane);
  }
  place.level = level(texture, in, lanes, lane, ir::coordinate_operands(in.mods.texture.geometry));
  return place;
}

SurfacePlace surface_place(const ir::Instruction& in, const Lanes& lanes, unsigned lane) {
  const Dimensions& d = dimensions(in);
  SurfacePlace place;
  place.dimensions = d.cube ? 2 : d.count, place.layered = d.layered;
  unsigned next = 0;
  if (d.layered) place.layer = lanes.integer(next++, lane);
  for (unsigned i = 0; i < place.dimensions; ++i) place.at[i] = lanes.integer(next + i, lane);
  return place;
}

uint64_t answer(const Texture& texture, ir::TextureQuery query) {
  const Image& image = texture.levels[0];
  switch (query) {
    case ir::TextureQuery::Width:
      return image.width;
    case ir::TextureQuery::Height:
      return image.height;
    case ir::TextureQuery::Depth:
    case ir::TextureQuery::ArraySize:
      return image.slices;
    case ir::TextureQuery::MipmapLevels:
      return texture.levels.size();
    case ir::TextureQuery::NormalizedCoordinates:
      return texture.sampler.normalized;
    case ir::TextureQuery::None:
      break;
  }
  return 0;
}

// Where the lanes of a warp read or write: as an access to global memory.
struct Places {
  uint64_t address[kWarpSize] = {};
  LaneMask lanes = 0;  // that access memory
  void add(unsigned lane, uint64_t at) {
    address[lane] = at;
    if (at != 0) lanes |= 1u << lane;
  }
};

class TextureInstruction {
 public:
  TextureInstruction(Warp& warp, const ir::Instruction& in, uint32_t number, const Lanes& lanes)
      : warp_(warp), in_(in), number_(number), lanes_(lanes) {}

  // Of lanes that name the same object.
  void run(uint64_t handle, LaneMask mask, uint32_t slot) {
    const Texture& texture = find(handle, mask);
    if (in_.mods.texture.query != ir::TextureQuery::None) {
      for_lanes(mask, [&](unsigned lane) { lanes_.set(0, lane, answer(texture, in_.mods.texture.query)); });
      return;
    }
    const bool is_fetch = ir::info(in_.op).family == ir::Family::Texture;
    Places places;
    for_lanes(mask,
              [&](unsigned lane) { places.add(lane, is_fetch ? fetch(texture, lane) : place_on(texture, lane)); });
    // Elements of surfaces move at once; those of a fetch have the texture's format.
    const unsigned bytes = is_fetch ? texture.format.bytes() : element_bytes() * in_.mods.vector;
    report(places, slot, bytes);
    if (!is_fetch) move(places, mask);
  }

 private:
  template <class Visit>
  static void for_lanes(LaneMask mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
  }
  [[nodiscard]] unsigned element_bytes() const { return ir::bits(in_.type) / 8; }

  const Texture& find(uint64_t handle, LaneMask mask) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const TextureMap& all = *warp_.worker->launch->textures;
    const bool surface = ir::info(in_.op).family == ir::Family::Surface;
    const char* what = surface ? "surface" : "texture";
    const auto found = all.find(handle);
    if (found == all.end() || found->second->surface != surface)
      raise(warp_, fault_at(warp_, FaultKind::IllegalAddress, number_, lane,
                            fmt::format("{:#x} is no {} object", handle, what)));
    const Texture& texture = *found->second;
    for (const Image& image : texture.levels)
      if (!find_window(warp_, AddressSpace::Global, image.address, image.bytes(texture.format)))
        raise(warp_,
              fault_at(warp_, FaultKind::IllegalAddress, number_, lane,
                       fmt::format("the memory of {} object {:#x} at address {:#x} is not allocated; {}", what, handle,
                                   image.address, warp_.worker->launch->memory->describe(image.address))));
    return texture;
  }

  // Returns the address of a texel that it read, or 0.
  uint64_t fetch(const Texture& texture, unsigned lane) {
    const SamplePlace place = sample_place(texture, in_, lanes_, lane);
    const Sampled result =
        in_.op == Opcode::Tld4 ? gather(texture, place, in_.mods.texture.component) : sample(texture, place);
    for (unsigned c = 0; c < result.texel.size(); ++c) lanes_.set(c, lane, result.texel[c]);
    return result.first;
  }

  uint64_t place_on(const Texture& surface, unsigned lane) {
    const SurfaceAddress at =
        surface_address(surface, surface_place(in_, lanes_, lane), element_bytes() * in_.mods.vector,
                        static_cast<Outside>(in_.mods.texture.boundary));
    if (at.traps)
      raise(warp_, fault_at(warp_, FaultKind::IllegalAddress, number_, lane,
                            fmt::format("an access outside of a surface of {} x {} x {} elements",
                                        surface.levels[0].width, surface.levels[0].height, surface.levels[0].slices)));
    return at.address;
  }

  // The accesses of a surface instruction: lanes outside read 0 and write nothing.
  void move(const Places& places, LaneMask mask) {
    const unsigned bytes = element_bytes(), first = ir::coordinate_operands(in_.mods.texture.geometry);
    if (in_.op == Opcode::Sured) return reduce(places, first);
    for_lanes(mask, [&](unsigned lane) {
      const uint64_t address = places.address[lane];
      for (unsigned v = 0; v < in_.mods.vector; ++v) {
        auto* at = reinterpret_cast<uint8_t*>(address + uint64_t{v} * bytes);
        if (in_.op == Opcode::Suld) {
          uint64_t value = 0;
          if (address != 0) std::memcpy(&value, at, bytes);
          lanes_.set(v, lane, value);
        } else if (address != 0) {
          const uint64_t value = lanes_.operand(first + v, lane);
          std::memcpy(at, &value, bytes);
        }
      }
    });
  }

  void reduce(const Places& places, unsigned first) {
    alignas(64) uint8_t values[kWarpSize * sizeof(uint64_t)];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const uint64_t value = lanes_.operand(first, lane);
      std::memcpy(values + lane * element_bytes(), &value, element_bytes());
    }
    const uint32_t what = static_cast<uint32_t>(in_.mods.atom) | static_cast<uint32_t>(in_.type) << 8 | 1u << 16;
    uint64_t addresses[kWarpSize];
    std::memcpy(addresses, places.address, sizeof addresses);
    if (places.lanes != 0)
      dw_atomic(&warp_, nullptr, number_, static_cast<uint32_t>(AddressSpace::Global), what, addresses, places.lanes,
                values, nullptr, nullptr);
  }

  // Of a texel that is filtered from several, the first is told of.
  void report(const Places& places, uint32_t slot, unsigned bytes) {
    const RunEvents& events = warp_.worker->launch->kernel->options.events;
    if (!events.accesses || places.lanes == 0) return;
    const AccessKind kind = in_.op == Opcode::Sust    ? AccessKind::Store
                            : in_.op == Opcode::Sured ? AccessKind::Atomic
                                                      : AccessKind::Load;
    uint64_t addresses[kWarpSize];
    std::memcpy(addresses, places.address, sizeof addresses);
    const uint32_t how = static_cast<uint32_t>(kind) | bytes << 24;
    dw_access(&warp_, slot, static_cast<uint32_t>(AddressSpace::Global), addresses, places.lanes, bytes, how, nullptr);
  }

  Warp& warp_;
  const ir::Instruction& in_;
  const uint32_t number_;
  const Lanes lanes_;
};

}  // namespace
}  // namespace drywarp::exec

using namespace drywarp;
using namespace drywarp::exec;

extern "C" {

void dw_texture(WarpContext* context, uint32_t slot, uint32_t instruction, void* lane_handles, uint32_t mask,
                void* operands, void* out) {
  Warp& warp = warp_of(context);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  const auto* handles = static_cast<const uint64_t*>(lane_handles);
  TextureInstruction texture(warp, in, instruction,
                             {static_cast<const uint64_t*>(operands), static_cast<uint64_t*>(out)});
  while (mask != 0) {
    const uint64_t handle = handles[std::countr_zero(mask)];
    LaneMask same = 0;
    for (LaneMask left = mask; left != 0; left &= left - 1)
      if (handles[std::countr_zero(left)] == handle) same |= left & -left;
    texture.run(handle, same, slot);
    mask &= ~same;
  }
}

}  // extern "C"
