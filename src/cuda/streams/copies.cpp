#include "cuda/streams/copies.h"

#include <algorithm>
#include <cstring>

namespace drywarp::cuda {
namespace {

using record::TransferKind;

bool on_device(const Memory& memory, const CopyEnd& end) {
  if (end.array) return true;
  const PointerKind kind = memory.describe_with_reserved(end.address).kind;
  return kind == PointerKind::Device || kind == PointerKind::Managed;
}

bool known(const Memory& memory, const CopyEnd& end) {
  return end.array || memory.describe_with_reserved(end.address).kind != PointerKind::Unregistered;
}

// Bytes from the first to the end of the last row of a box.
size_t span(const Box& box, const Extent3& extent) {
  return (extent.depth - 1) * box.slice + (extent.height - 1) * box.pitch + extent.width;
}

Error resolve(const Memory& memory, const CopyEnd& end, const Extent3& extent, Box& box) {
  if (end.array) {
    const Array& array = *end.array;
    if (!memory.is_live(end.array)) return Error::InvalidResourceHandle;
    if (end.x + extent.width > array.pitch() || end.y + extent.height > array.rows() ||
        end.z + extent.depth > array.slices())
      return Error::InvalidValue;
    box.pitch = array.pitch();
    box.slice = array.pitch() * array.rows();
    box.address = array.address + end.x + end.y * box.pitch + end.z * box.slice;
    return Error::Success;
  }
  if (end.address == 0) return Error::InvalidValue;
  // What lies beyond the pitch, or beyond the rows of a slice; 0 is allowed where nothing follows.
  const bool wide = end.x + extent.width > end.pitch, high = end.y + extent.height > end.rows;
  const bool many_slices = extent.depth > 1, many_rows = extent.height > 1 || many_slices;
  if ((many_rows && wide) || (many_slices && high)) return Error::InvalidPitchValue;
  if ((wide && end.pitch != 0) || (high && end.rows != 0)) return Error::InvalidValue;
  box.pitch = end.pitch;
  box.slice = end.pitch * end.rows;
  box.address = end.address + end.x + end.y * box.pitch + end.z * box.slice;
  return memory.in_bounds(box.address, span(box, extent)) ? Error::Success : Error::InvalidValue;
}

TransferKind transfer_kind(bool from_device, bool to_device) {
  if (from_device) return to_device ? TransferKind::DeviceToDevice : TransferKind::DeviceToHost;
  return to_device ? TransferKind::HostToDevice : TransferKind::HostToHost;
}

}  // namespace

Error make_copy(const Memory& memory, const CopyEnd& to, const CopyEnd& from, const Extent3& extent, CopyKind kind,
                CopyOperation& out) {
  out = {};
  if (static_cast<unsigned>(kind) > 4) return Error::InvalidMemcpyDirection;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return Error::Success;
  out.extent = extent;
  if (const Error error = resolve(memory, to, extent, out.to); error != Error::Success) return error;
  if (const Error error = resolve(memory, from, extent, out.from); error != Error::Success) return error;
  // An end that `kind` places on the device must be memory that the device can access.
  const bool says_to = kind == CopyKind::HostToDevice || kind == CopyKind::DeviceToDevice;
  const bool says_from = kind == CopyKind::DeviceToHost || kind == CopyKind::DeviceToDevice;
  if ((says_to && !known(memory, to)) || (says_from && !known(memory, from))) return Error::InvalidValue;
  out.kind = kind == CopyKind::Default ? transfer_kind(on_device(memory, from), on_device(memory, to))
                                       : transfer_kind(says_from, says_to);
  const CopyEnd& host = out.kind == TransferKind::DeviceToHost ? to : from;
  const PointerKind host_kind = memory.describe_with_reserved(host.address).kind;
  out.pinned = !host.array && host_kind == PointerKind::Host;
  const bool over_link = out.kind == TransferKind::HostToDevice || out.kind == TransferKind::DeviceToHost;
  out.pageable = over_link && !host.array && host_kind == PointerKind::Unregistered;
  return Error::Success;
}

Error make_wrapped_copy(const Memory& memory, const CopyEnd& to, const CopyEnd& from, size_t count, CopyKind kind,
                        std::vector<CopyOperation>& out) {
  CopyEnd target = to, source = from;
  // Bytes left in the current row of an end.
  const auto room = [](const CopyEnd& end) {
    return end.array ? end.array->pitch() - std::min(end.x, end.array->pitch()) : SIZE_MAX;
  };
  const auto advance = [](CopyEnd& end, size_t by) {
    if (!end.array) {
      end.address += by;
    } else if ((end.x += by) >= end.array->pitch()) {
      end.x = 0;
      ++end.y;
    }
  };
  while (count > 0) {
    const size_t piece = std::min({count, room(target), room(source)});
    if (piece == 0) return Error::InvalidValue;
    if (const Error error = make_copy(memory, target, source, {piece, 1, 1}, kind, out.emplace_back());
        error != Error::Success)
      return error;
    advance(target, piece);
    advance(source, piece);
    count -= piece;
  }
  return Error::Success;
}

Error make_fill(const Memory& memory, uint64_t address, size_t pitch, size_t rows, uint32_t value, unsigned element,
                const Extent3& extent, FillOperation& out) {
  out = {};
  if (element != 1 && element != 2 && element != 4) return Error::InvalidValue;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return Error::Success;
  // A fill of one row takes any pitch.
  const CopyEnd end{address, extent.height > 1 || extent.depth > 1 ? pitch : 0, extent.depth > 1 ? rows : 0};
  const Extent3 in_bytes{extent.width * element, extent.height, extent.depth};
  if (!known(memory, end) || address % element != 0) return Error::InvalidValue;
  if (const Error error = resolve(memory, end, in_bytes, out.to); error != Error::Success)
    return error == Error::InvalidPitchValue ? Error::InvalidValue : error;
  out.extent = extent;
  out.value = value;
  out.element = element;
  return Error::Success;
}

uint64_t bytes(const CopyOperation& copy) { return copy.extent.width * copy.extent.height * copy.extent.depth; }

uint64_t bytes(const FillOperation& fill) {
  return fill.extent.width * fill.element * fill.extent.height * fill.extent.depth;
}

void perform(const CopyOperation& copy) {
  if (bytes(copy) == 0) return;
  for (size_t z = 0; z < copy.extent.depth; ++z)
    for (size_t y = 0; y < copy.extent.height; ++y)
      std::memmove(reinterpret_cast<void*>(copy.to.address + z * copy.to.slice + y * copy.to.pitch),
                   reinterpret_cast<const void*>(copy.from.address + z * copy.from.slice + y * copy.from.pitch),
                   copy.extent.width);
}

void stage(CopyOperation& copy) {
  const Extent3& extent = copy.extent;
  auto rows = std::make_shared<std::vector<uint8_t>>(bytes(copy));
  const Box packed{reinterpret_cast<uint64_t>(rows->data()), extent.width, extent.width * extent.height};
  perform(CopyOperation{copy.from, packed, extent, copy.kind, copy.pinned, copy.pageable, nullptr});
  copy.from = packed;
  copy.staged = std::move(rows);
}

void perform(const FillOperation& fill) {
  const auto row = [&](uint64_t address) {
    if (fill.element == 1) std::memset(reinterpret_cast<void*>(address), int(fill.value), fill.extent.width);
    if (fill.element == 2) std::fill_n(reinterpret_cast<uint16_t*>(address), fill.extent.width, uint16_t(fill.value));
    if (fill.element == 4) std::fill_n(reinterpret_cast<uint32_t*>(address), fill.extent.width, fill.value);
  };
  if (bytes(fill) == 0) return;
  for (size_t z = 0; z < fill.extent.depth; ++z)
    for (size_t y = 0; y < fill.extent.height; ++y) row(fill.to.address + z * fill.to.slice + y * fill.to.pitch);
}

}  // namespace drywarp::cuda
