// Calls: of functions that drywarp provides on the device (vprintf, malloc, free, __assertfail,
// cudaGraphSetConditional), of recursive functions, and through function pointers.
#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/denied_accesses.h"
#include "engine/exec/runtime/provided_calls.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

template <class T>
std::string formatted(const std::string& conversion, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, conversion.c_str(), value);
  if (length < 0) return {};
  if (static_cast<size_t>(length) < sizeof text) return {text, static_cast<size_t>(length)};
  std::string longer(static_cast<size_t>(length) + 1, 0);
  std::snprintf(longer.data(), longer.size(), conversion.c_str(), value);
  longer.pop_back();
  return longer;
}

// `arguments` is the buffer that the compiler packs for vprintf: each value at its natural alignment (int 4, everything
// else 8). A conversion whose argument lies past `size` stops the formatting. `string_at` reads a %s argument from
// device memory. *count: conversions done, as vprintf returns.
std::string format_device_printf(const std::string& format, const uint8_t* arguments, size_t size,
                                 const std::function<std::string(uint64_t)>& string_at, int* count) {
  std::string text;
  size_t at = 0;
  *count = 0;
  auto take = [&](void* value, size_t bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    if (!arguments || at + bytes > size) return false;
    std::memcpy(value, arguments + at, bytes);
    at += bytes;
    return true;
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      text += '%';
      ++i;
      continue;
    }
    // %[flags][width][.precision][length]conversion; '*' takes an int each.
    std::string conversion = "%";
    size_t j = i + 1;
    for (; j < format.size() && std::strchr("-+ #0123456789.*", format[j]); ++j) {
      int number;
      if (format[j] != '*') {
        conversion += format[j];
      } else if (take(&number, 4)) {
        conversion += std::to_string(number);
      } else {
        return text;
      }
    }
    std::string length;
    for (; j < format.size() && std::strchr("hlLzjtq", format[j]); ++j) length += format[j];
    if (j >= format.size()) {
      text += format.substr(i);
      break;
    }
    const char kind = format[j];
    const bool wide = length == "l" || length == "ll" || length == "z" || length == "j" || length == "t" ||
                      length == "q" || length == "L";
    if (std::strchr("diouxXc", kind)) {
      if (wide && kind != 'c') {
        uint64_t value;
        if (!take(&value, 8)) return text;
        text += formatted(conversion + "ll" + kind, value);
      } else {
        uint32_t value;
        if (!take(&value, 4)) return text;
        text += formatted(conversion + (length == "h" || length == "hh" ? length : "") + kind, value);
      }
    } else if (std::strchr("eEfFgGaA", kind)) {
      double value;
      if (!take(&value, 8)) return text;
      text += formatted(conversion + kind, value);
    } else if (kind == 's') {
      uint64_t value;
      if (!take(&value, 8)) return text;
      const std::string s = value == 0 ? "(null)" : string_at(value);
      text += formatted(conversion + 's', s.c_str());
    } else if (kind == 'p') {
      void* value;
      if (!take(&value, 8)) return text;
      text += formatted(conversion + 'p', value);
    } else {  // not a conversion: as it stands
      text += format.substr(i, j - i + 1);
      i = j;
      continue;
    }
    ++*count;
    i = j;
  }
  return text;
}

// A string in device memory, up to its allocation's end.
std::string device_string(Warp& warp, uint64_t address) {
  std::string text;
  const auto window = find_window(warp, AddressSpace::Generic, address, 1);
  if (!window) return "(invalid pointer)";
  for (uint64_t at = address; at < window->end; ++at) {
    const char c = *reinterpret_cast<const char*>(at);
    if (c == 0) break;
    text += c;
  }
  return text;
}

void print(Warp& warp, const ir::Instruction& in, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const std::string format = device_string(warp, argument(warp, in, 0, frame, lane));
    const uint64_t packed = argument(warp, in, 1, frame, lane);
    const auto window = packed == 0 ? std::nullopt : find_window(warp, AddressSpace::Generic, packed, 1);
    const auto* begin = window ? reinterpret_cast<const uint8_t*>(packed) : nullptr;
    const size_t size = window ? window->end - packed : 0;
    int arguments = 0;
    warp.owner->printed += format_device_printf(
        format, begin, size, [&](uint64_t address) { return device_string(warp, address); }, &arguments);
    give(warp, in, frame, lane, static_cast<uint32_t>(arguments));
  }
}

constexpr uint64_t kAllocationAlignment = 512;  // DeviceMemory's

// `aligned`: to the second argument; more than the alignment of every allocation fails.
void allocate(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame,
              bool aligned) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t size = argument(warp, in, 0, frame, lane);
    // malloc(0) gives a pointer that can be freed; no memory gives null, as on the device.
    const uint64_t alignment = aligned ? argument(warp, in, 1, frame, lane) : 1;
    const bool possible = std::has_single_bit(alignment) && alignment <= kAllocationAlignment;
    DeviceMemory& memory = *warp.worker->launch->memory;
    const uint64_t address = possible ? memory.allocate(std::max<uint64_t>(size, 1), MemoryKind::Heap).value_or(0) : 0;
    give(warp, in, frame, lane, address);
    if (address != 0) tell_heap(warp, instruction, lane, address, std::max<uint64_t>(size, 1));
  }
}

void release(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = argument(warp, in, 0, frame, lane);
    if (address == 0) continue;
    DeviceMemory& memory = *warp.worker->launch->memory;
    const auto block = memory.find(address);
    const bool ours = block && block->kind == MemoryKind::Heap && block->base == address;
    if (ours) tell_heap(warp, instruction, lane, address, 0);
    if (!ours || !memory.free(address)) refuse_free(warp, instruction, lane, address);
  }
}

// A local array of the kernel or of a function, and the padding beside it, which code compiled for checks has
// (faces/check_passes); no bytes: lanes leave its function. From now on each access to local memory is looked at.
void note_local_array(Warp& warp, const ir::Instruction& in, uint32_t mask, uint64_t frame) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  if (!warp.owner->spares) return;
  const uint64_t first =
      argument(warp, in, 0, frame, lane) - reinterpret_cast<uint64_t>(warp.local) - lane * warp.local_stride;
  const uint64_t before = argument(warp, in, 1, frame, lane), bytes = argument(warp, in, 2, frame, lane);
  const uint64_t begin = first + before, end = begin + bytes, last = end + argument(warp, in, 3, frame, lane);
  std::vector<observe::LocalArray>& all = warp.local_arrays;
  if (bytes == 0) {
    for (observe::LocalArray& a : all)
      if (a.first == first) a.lanes &= ~mask;
    std::erase_if(all, [](const observe::LocalArray& a) { return a.lanes == 0; });
    return;
  }
  const auto same = [&](const observe::LocalArray& a) {
    return a.first == first && a.begin == begin && a.end == end && a.last == last;
  };
  const auto known = std::ranges::find_if(all, same);
  if (known != all.end()) {
    known->lanes |= mask;
    return;
  }
  constexpr size_t kNameWords = 3;  // of eight characters
  char name[kNameWords * sizeof(uint64_t) + 1] = {};
  for (size_t word = 0; word < kNameWords; ++word) {
    const uint64_t characters = argument(warp, in, 4 + word, frame, lane);
    std::memcpy(name + word * sizeof characters, &characters, sizeof characters);
  }
  all.push_back({first, begin, end, last, mask, name});
  warp.local_window = 0;
}

// A condition's handle is the address of the word that conditional nodes read; every lane writes, the highest last.
void set_conditional(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t handle = argument(warp, in, 0, frame, lane);
    const auto value = static_cast<uint32_t>(argument(warp, in, 1, frame, lane));
    const auto window = find_window(warp, AddressSpace::Global, handle, sizeof value);
    if (!window || !window->writable || handle % sizeof value != 0)
      raise(warp, fault_at(warp, FaultKind::IllegalAddress, instruction, lane,
                           fmt::format("cudaGraphSetConditional of {:#x}, which is no condition's handle", handle)));
    std::memcpy(reinterpret_cast<void*>(handle), &value, sizeof value);
  }
}

Fault failed_assertion(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const std::string condition = device_string(warp, argument(warp, in, 0, frame, lane));
  const std::string file = device_string(warp, argument(warp, in, 1, frame, lane));
  const auto line = static_cast<uint32_t>(argument(warp, in, 2, frame, lane));
  const std::string function = device_string(warp, argument(warp, in, 3, frame, lane));
  return fault_at(warp, FaultKind::AssertFailed, instruction, lane,
                  fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file, line,
                              function, warp.ctaid[0], warp.ctaid[1], warp.ctaid[2], warp.tid[0][lane],
                              warp.tid[1][lane], warp.tid[2][lane], condition));
}

// Runs a function of the module for the lanes of the mask.
void call(Warp& warp, uint32_t instruction, ir::FunctionId function, uint32_t mask, uint32_t after) {
  Activation& caller = *warp.inside;
  Activation& callee = enter(warp, instruction, function, mask, after, false);
  const uint32_t depth = warp.depth;
  make_current(warp, callee);
  callee.code->warp_form(&warp, mask, callee.frame);
  make_current(warp, caller);
  warp.depth = depth;
  leave(warp, callee, callee.lanes);
}

void note_where_lanes_are(Warp& warp) {
  Activation::Calling& calling = warp.inside->calling;
  calling.running = warp.running;
  calling.depth = warp.depth;
  calling.returned = warp.returned;
}

// The lanes of the mask that call what the first of them calls.
uint32_t same_target(const uint64_t* targets, uint32_t mask) {
  const uint64_t target = targets[std::countr_zero(mask)];
  uint32_t same = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    if (targets[std::countr_zero(left)] == target) same |= left & -left;
  return same;
}

}  // namespace

extern "C" {

void dw_call_external(WarpContext* context, uint32_t instruction, uint32_t function, uint32_t mask, uint64_t frame) {
  Warp& warp = warp_of(context);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  const std::string& name = warp.worker->launch->module->functions[function].name;
  if (name == "vprintf") return print(warp, in, mask, frame);
  if (name == "malloc") return allocate(warp, in, instruction, mask, frame, false);
  if (name == "__nv_aligned_device_malloc") return allocate(warp, in, instruction, mask, frame, true);
  if (name == "free") return release(warp, in, instruction, mask, frame);
  if (name == "__assertfail") raise(warp, failed_assertion(warp, in, instruction, mask, frame));
  if (name == "__drywarp_local_array") return note_local_array(warp, in, mask, frame);
  if (name == "cudaGraphSetConditional") return set_conditional(warp, in, instruction, mask, frame);
  if (call_device_runtime(warp, in, instruction, name, mask, frame)) return;
  raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, static_cast<uint32_t>(std::countr_zero(mask)),
                       fmt::format("a call of '{}', which is defined nowhere", name)));
}

void dw_call_direct(WarpContext* context, uint32_t instruction, uint32_t mask, uint32_t function, uint32_t after) {
  Warp& warp = warp_of(context);
  note_where_lanes_are(warp);
  call(warp, instruction, function, mask, after);
}

void dw_call_indirect(WarpContext* context, uint32_t instruction, uint32_t mask, void* lane_targets, uint32_t after) {
  Warp& warp = warp_of(context);
  note_where_lanes_are(warp);
  const auto* targets = static_cast<const uint64_t*>(lane_targets);
  Activation::Calling& calling = warp.inside->calling;
  calling.targets = targets;
  while (mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const uint32_t together = same_target(targets, mask);
    calling.pending = mask & ~together;
    call(warp, instruction, called_function(warp, instruction, targets[lane], lane), together, after);
    mask &= ~together & ~warp.exited;
  }
}

void dw_group_call(WarpContext* context, uint32_t instruction, uint32_t mask, uint32_t function, uint32_t after) {
  Warp& warp = warp_of(context);
  arrive_at(warp, &enter(warp, instruction, function, mask, after, true), 0, mask);
}

void dw_group_call_indirect(WarpContext* context, uint32_t instruction, uint32_t mask, void* lane_targets,
                            uint32_t after) {
  const auto* targets = static_cast<const uint64_t*>(lane_targets);
  while (mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const uint32_t together = same_target(targets, mask);
    dw_group_call(context, instruction, together, called_function(warp_of(context), instruction, targets[lane], lane),
                  after);
    mask &= ~together;
  }
}

}  // extern "C"
