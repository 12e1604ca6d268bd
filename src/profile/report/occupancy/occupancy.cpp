#include "profile/report/occupancy/occupancy.h"

#include <fmt/format.h>

#include "base/support/plural.h"
#include "base/support/round_up.h"

namespace drywarp::report {
namespace {

using device::DeviceSpec;
using device::Occupancy;
using device::OccupancyLimiter;

// Unchanged for resources without an allocation granularity.
uint64_t allocated(uint64_t value, uint64_t unit) { return unit ? round_up(value, unit) : value; }

// "42.67" warps, "10" warps
std::string fraction(uint64_t whole, uint64_t part) {
  if (part == 0) return {};
  return whole % part == 0 ? fmt::format("{}", whole / part) : fmt::format("{:.2f}", double(whole) / double(part));
}

ResourceRow row_of(OccupancyLimiter limiter, const OccupancyAnswer& a) {
  ResourceRow row;
  row.limiter = limiter;
  row.name = device::name(limiter);
  row.blocks = a.occupancy.limit[unsigned(limiter)];
  row.unused = row.blocks == Occupancy::kUnlimited;
  row.warps = row.unused ? 0 : row.blocks * a.warps_per_block;
  row.limits = a.occupancy.limited_by(limiter);
  return row;
}

ResourceRow register_row(const DeviceSpec& device, const OccupancyAnswer& a) {
  ResourceRow row = row_of(OccupancyLimiter::Registers, a);
  const uint32_t registers = a.question->request.registers_per_thread;
  row.capacity = fmt::format("{}", device.registers_per_multiprocessor);
  if (device.registers_allocated_per_block) {
    const uint64_t block = allocated(
        uint64_t{registers} * device.warp_size * allocated(a.warps_per_block, device.warp_allocation_granularity),
        device.register_allocation_unit);
    row.takes = fmt::format("{} a thread, {} a block", registers, block);
    row.room = fraction(device.registers_per_multiprocessor, block) + " blocks";
    return row;
  }
  const uint64_t warp = device::registers_per_warp(device, registers);
  row.takes = fmt::format("{} a thread, {} a warp", registers, warp);
  if (warp != 0) row.room = fraction(device.registers_per_multiprocessor, warp) + " warps";
  return row;
}

ResourceRow shared_row(const DeviceSpec& device, const OccupancyAnswer& a) {
  ResourceRow row = row_of(OccupancyLimiter::SharedMemory, a);
  const auto& r = a.question->request;
  const uint64_t asked = r.static_shared_bytes + r.dynamic_shared_bytes;
  const uint64_t block = allocated(asked + device.shared_reserved_per_block, device.shared_allocation_unit);
  row.takes = block == asked ? fmt::format("{} a block", plural(block, "byte"))
                             : fmt::format("{}, {} a block", plural(asked, "byte"), block);
  row.capacity = fmt::format("{}", a.occupancy.shared_capacity);
  if (block != 0) row.room = fraction(a.occupancy.shared_capacity, block) + " blocks";
  return row;
}

}  // namespace

OccupancyAnswer answer(const DeviceSpec& device, const OccupancyCase& question) {
  OccupancyAnswer a;
  a.question = &question;
  const device::OccupancyRequest& request = question.request;
  a.occupancy = device::occupancy(device, request);
  a.warps_per_block = (request.threads_per_block + device.warp_size - 1) / device.warp_size;

  ResourceRow warps = row_of(OccupancyLimiter::Warps, a);
  warps.takes = fmt::format("{}, {} a block", plural(request.threads_per_block, "thread"), a.warps_per_block);
  warps.capacity = fmt::format("{}", device.max_warps_per_multiprocessor());
  warps.room = fraction(device.max_warps_per_multiprocessor(), a.warps_per_block) + " blocks";
  ResourceRow blocks = row_of(OccupancyLimiter::Blocks, a);
  blocks.takes = "1 a block";
  blocks.capacity = fmt::format("{}", device.max_blocks_per_multiprocessor);
  a.rows = {warps, blocks, register_row(device, a), shared_row(device, a)};
  if (device.block_barriers) {
    ResourceRow barriers = row_of(OccupancyLimiter::Barriers, a);
    barriers.takes = fmt::format("{} a block", request.barriers);
    barriers.capacity = fmt::format("{}", *device.block_barriers);
    a.rows.push_back(barriers);
  }
  for (const ResourceRow& row : a.rows)
    if (row.limits) a.limiters.push_back(row.name);

  a.next = device::next_step(device, request);
  a.better_block = device::better_block_size(device, request);
  a.smallest_best_block = device::smallest_best_block(device, request);
  a.headroom = device::headroom(device, request);
  const uint64_t dynamic = request.dynamic_shared_bytes;
  a.best = device::max_potential_block_size(device, request, question.block_limit, [&](uint32_t) { return dynamic; });
  device::OccupancyRequest best = request;
  best.threads_per_block = a.best.threads_per_block;
  a.best_occupancy = device::occupancy(device, best);
  if (question.grid) a.waves = device::waves(device, a.occupancy.blocks, *question.grid);
  return a;
}

namespace {
constexpr OccupancyFormat kOccupancyFormats[] = {
    {"text", true, write_occupancy_text}, {"csv", false, write_occupancy_csv}, {"json", false, write_occupancy_json}};
constexpr OccupancyFormats kOccupancyTable("occupancy", "format", kOccupancyFormats);
}  // namespace

const OccupancyFormats& occupancy_formats() { return kOccupancyTable; }

void write_occupancy(std::ostream& out, const OccupancyFormat& format, const DeviceSpec& device,
                     const std::vector<OccupancyCase>& cases, const OccupancyOptions& options) {
  std::vector<OccupancyAnswer> answers;
  for (const OccupancyCase& c : cases) answers.push_back(answer(device, c));
  format.write(out, device, answers, options);
}

}  // namespace drywarp::report
