#include "cuda/session/misuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/support/plural.h"

namespace drywarp::cuda {
namespace {

using exec::Allocation;
using exec::MemoryKind;

constexpr const char* kFreed[] = {"device memory", "pinned host memory", "registered host memory"};
constexpr const char* kKinds[] = {"from host to host", "from host to device", "from device to host",
                                  "from device to device", "as the pointers say"};

// The allocation, live or freed, that holds the address.
std::optional<Allocation> holding(const Memory& memory, uint64_t address) {
  const auto a = memory.device_memory().nearest(address);
  return a && address - a->base < a->size ? a : std::nullopt;
}

Finding finding(FindingKind kind, std::string what) {
  Finding f;
  f.kind = kind;
  f.what = std::move(what);
  return f;
}

// What lies at one end, and how far a row there reaches past it; empty: it is inside, or not known.
std::optional<Finding> outside(const LaunchChecks& checks, const Memory& memory, const CopyEnd& end,
                               const Extent3& extent, const char* which) {
  const size_t rows = std::max<size_t>(extent.height, 1), slices = std::max<size_t>(extent.depth, 1);
  if (end.array) {
    const Array& array = *end.array;
    if (!memory.is_live(end.array))
      return finding(FindingKind::InvalidCopy, fmt::format("{}: a destroyed array", which));
    if (end.x + extent.width <= array.pitch() && end.y + rows <= array.rows() && end.z + slices <= array.slices())
      return std::nullopt;
    return finding(FindingKind::InvalidCopy, fmt::format("{}: the box leaves an array of {} x {} x {} bytes", which,
                                                         array.pitch(), array.rows(), array.slices()));
  }
  if (end.address == 0) return finding(FindingKind::InvalidCopy, fmt::format("{}: the null pointer", which));
  const uint64_t first = end.address + end.x + end.y * end.pitch + end.z * end.pitch * end.rows;
  const uint64_t bytes = (slices - 1) * end.pitch * end.rows + (rows - 1) * end.pitch + extent.width;
  const auto a = holding(memory, first);
  if (!a) return std::nullopt;
  const uint64_t offset = first - a->base;
  Finding f;
  f.kind = a->live ? FindingKind::InvalidCopy : FindingKind::UseAfterFree;
  f.allocation = checks.fact(*a);
  if (!a->live) {
    f.what = fmt::format("{}: {} of {} that has been freed", which, exec::name(a->kind), plural(a->size, "byte"));
    if (std::string at = checks.freed_at(*a); !at.empty())
      f.other = OtherAccess{"free", {std::move(at), 0, 0, "free"}, std::nullopt, {}};
    return f;
  }
  if (bytes <= a->size - offset) return std::nullopt;
  f.what = fmt::format("{}: {} from byte {} on, {} past the end of {} of {}", which, plural(bytes, "byte"), offset,
                       plural(bytes - (a->size - offset), "byte"), exec::name(a->kind), plural(a->size, "byte"));
  return f;
}

enum class Place { Host, Device, Either };

Place place_of_end(const Memory& memory, const CopyEnd& end) {
  if (end.array) return Place::Device;
  switch (memory.describe_with_reserved(end.address).kind) {
    case PointerKind::Unregistered:
      return Place::Host;
    case PointerKind::Device:
      return Place::Device;
    default:
      return Place::Either;
  }
}

std::optional<Finding> contradiction(const Memory& memory, const CopyEnd& to, const CopyEnd* from, CopyKind kind) {
  const auto wrong = [&](const CopyEnd& end, bool says_device, const char* which) -> std::optional<Finding> {
    const Place place = place_of_end(memory, end);
    if (place == Place::Either || (place == Place::Device) == says_device) return std::nullopt;
    return finding(FindingKind::CopyDirection,
                   fmt::format("the copy's kind is {}, but its {} is memory of the {}",
                               kKinds[static_cast<size_t>(kind)], which, says_device ? "host" : "device"));
  };
  if (static_cast<unsigned>(kind) >= static_cast<unsigned>(CopyKind::Default)) return std::nullopt;
  if (auto f = wrong(to, kind == CopyKind::HostToDevice || kind == CopyKind::DeviceToDevice, "destination")) return f;
  if (!from) return std::nullopt;
  return wrong(*from, kind == CopyKind::DeviceToHost || kind == CopyKind::DeviceToDevice, "source");
}

}  // namespace

void explain_free(LaunchChecks& checks, const Memory& memory, uint64_t address, FreedAs how) {
  if (!checks.calls()) return;
  const auto a = holding(memory, address);
  Finding f;
  f.kind = FindingKind::InvalidFree;
  if (!a) {
    f.what =
        fmt::format("a pointer to no {} that CUDA knows: the program's own memory, or memory that is freed already",
                    kFreed[static_cast<size_t>(how)]);
    checks.calls()->explain(std::move(f));
    return;
  }
  f.allocation = checks.fact(*a);
  const std::string what = fmt::format("{} of {}", exec::name(a->kind), plural(a->size, "byte"));
  if (!a->live && a->base == address) {
    const bool reset = checks.freed_by_reset(*a);
    f.kind = reset ? FindingKind::InvalidFree : FindingKind::DoubleFree;
    f.what = fmt::format("{} that {}", what, reset ? "went with the reset of the device" : "has been freed before");
    const char* const by = reset ? "reset" : "free";
    if (std::string at = checks.freed_at(*a); !at.empty())
      f.other = OtherAccess{by, {std::move(at), 0, 0, by}, std::nullopt, {}};
  } else if (a->base != address) {
    f.what = fmt::format("a pointer to byte {} of {}{}, not to its start", address - a->base, what,
                         a->live ? "" : " that has been freed");
  } else {
    f.what = fmt::format("{}, not {}", what, kFreed[static_cast<size_t>(how)]);
  }
  checks.calls()->explain(std::move(f));
}

void explain_copy(LaunchChecks& checks, const Memory& memory, const CopyEnd& to, const CopyEnd* from,
                  const Extent3& extent, CopyKind kind) {
  if (!checks.calls()) return;
  auto f = outside(checks, memory, to, extent, "destination");
  if (!f && from) f = outside(checks, memory, *from, extent, "source");
  if (!f && !from && place_of_end(memory, to) == Place::Host)
    f = finding(FindingKind::InvalidCopy, "destination: memory of the host, which only the host may fill");
  if (!f && from) f = contradiction(memory, to, from, kind);
  if (f) checks.calls()->explain(std::move(*f));
}

void judge_direction(LaunchChecks& checks, const Memory& memory, const CopyEnd& to, const CopyEnd& from,
                     CopyKind kind) {
  if (!checks.calls()) return;
  if (auto f = contradiction(memory, to, &from, kind)) checks.calls()->explain(std::move(*f));
}

}  // namespace drywarp::cuda
