// Occupancy for programs: csv with a row per case and per point of its sweeps; json.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profile/report/occupancy/occupancy.h"

namespace drywarp::report {
namespace {

using device::Occupancy;
using device::OccupancyLimiter;
using device::SweepAxis;
using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;
constexpr std::array kAxes = {SweepAxis::BlockSize, SweepAxis::Registers, SweepAxis::SharedMemory};
constexpr std::array<const char*, device::kSweepAxes> kAxisKeys = {"block_size", "registers", "shared_memory"};
constexpr std::array<const char*, device::kOccupancyLimiters> kLimitKeys = {"warps", "blocks", "registers",
                                                                            "shared_memory", "barriers"};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string limit_text(uint32_t blocks) { return blocks == Occupancy::kUnlimited ? "" : fmt::format("{}", blocks); }
Json limit_json(uint32_t blocks) { return blocks == Occupancy::kUnlimited ? Json() : Json(blocks); }

Json sweep_json(const device::DeviceSpec& device, const device::OccupancyRequest& request, SweepAxis axis) {
  Json points = Json::array();
  for (const device::SweepPoint& p : device::sweep(device, request, axis))
    points.push_back({{"value", p.value}, {"blocks", p.blocks}, {"warps", p.warps}});
  return points;
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json case_json(const device::DeviceSpec& device, const OccupancyAnswer& a, bool sweeps) {
  const OccupancyCase& c = *a.question;
  const device::OccupancyRequest& r = c.request;
  Json limits = Json::object();
  for (unsigned i = 0; i < device::kOccupancyLimiters; ++i) limits[kLimitKeys[i]] = limit_json(a.occupancy.limit[i]);
  Json out = {{"kernel", c.kernel.empty() ? Json() : Json(c.kernel)},
              {"launches", c.launches},
              {"grid", optional_json(c.grid)},
              {"block", c.block ? Json::array({c.block->x, c.block->y, c.block->z}) : Json()},
              {"threads_per_block", r.threads_per_block},
              {"block_is_suggested", c.suggested_block},
              {"registers", r.registers_per_thread},
              {"registers_from", c.resources ? Json(name(c.resources->resources_from)) : Json("command line")},
              {"static_shared_bytes", r.static_shared_bytes},
              {"dynamic_shared_bytes", r.dynamic_shared_bytes},
              {"barriers", r.barriers},
              {"carveout_percent", optional_json(r.carveout_percent)},
              {"local_bytes", c.local_bytes},
              {"spill_store_bytes", c.resources ? optional_json(c.resources->spill_store_bytes) : Json()},
              {"spill_load_bytes", c.resources ? optional_json(c.resources->spill_load_bytes) : Json()},
              {"blocks_per_sm", a.occupancy.blocks},
              {"warps_per_sm", a.occupancy.warps},
              {"occupancy_percent", 100 * a.occupancy.fraction},
              {"limiters", a.limiters},
              {"limits", limits},
              {"shared_capacity_bytes", a.occupancy.shared_capacity}};
  out["next_step"] = !a.next ? Json()
                             : Json{{"blocks", a.next->blocks},
                                    {"warps", a.next->warps},
                                    {"registers", optional_json(a.next->registers_per_thread)},
                                    {"shared_bytes", optional_json(a.next->shared_bytes)},
                                    {"barriers", optional_json(a.next->barriers)}};
  const auto step_json = [](const std::optional<device::BlockStep>& step) {
    return !step
               ? Json()
               : Json{{"threads_per_block", step->threads_per_block}, {"blocks", step->blocks}, {"warps", step->warps}};
  };
  out["better_block"] = step_json(a.better_block);
  out["smallest_best_block"] = step_json(a.smallest_best_block);
  out["headroom"] = {{"registers", a.headroom.registers_per_thread}, {"shared_bytes", a.headroom.shared_bytes}};
  out["suggested_block"] = {{"threads_per_block", a.best.threads_per_block}, {"min_grid", a.best.min_grid}};
  out["waves"] = !a.waves ? Json()
                          : Json{{"waves", a.waves->waves},
                                 {"blocks_a_wave", a.waves->blocks_a_wave},
                                 {"full_waves", a.waves->full},
                                 {"tail_blocks", a.waves->tail},
                                 {"idle_sms_in_tail", a.waves->idle_sms},
                                 {"places_used_percent", 100 * a.waves->slots_used}};
  if (sweeps)
    for (size_t i = 0; i < kAxes.size(); ++i) out["sweeps"][kAxisKeys[i]] = sweep_json(device, r, kAxes[i]);
  return out;
}

}  // namespace

void write_occupancy_csv(std::ostream& out, const device::DeviceSpec& device,
                         const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options) {
  const bool sweeps = options.charts;
  out << "Device,Kernel,Sweep,Block,Registers,Static Shared,Dynamic Shared,Blocks,Warps,Occupancy,Limiters,"
         "Limit Warps,Limit Blocks,Limit Registers,Limit Shared Memory,Limit Barriers,Registers From,Grid,Waves\n";
  const auto row = [&](const OccupancyAnswer& a, const char* sweep, const device::OccupancyRequest& r) {
    const Occupancy o = device::occupancy(device, r);
    std::vector<std::string> limiters;
    for (unsigned i = 0; i < device::kOccupancyLimiters; ++i)
      if (o.limited_by(OccupancyLimiter(i))) limiters.emplace_back(device::name(OccupancyLimiter(i)));
    const OccupancyCase& c = *a.question;
    const bool own = *sweep == 0;
    out << fmt::format("{},{},{},{},{},{},{},{},{},{},{}", quoted(device.name), quoted(c.kernel), sweep,
                       r.threads_per_block, r.registers_per_thread, r.static_shared_bytes, r.dynamic_shared_bytes,
                       o.blocks, o.warps, 100 * o.fraction, quoted(fmt::format("{}", fmt::join(limiters, "; "))));
    for (const uint32_t limit : o.limit) out << ',' << limit_text(limit);
    out << fmt::format(",{},{},{}\n", c.resources ? name(c.resources->resources_from) : "command line",
                       own && c.grid ? fmt::format("{}", *c.grid) : "",
                       own && a.waves ? fmt::format("{}", a.waves->waves) : "");
  };
  for (const OccupancyAnswer& a : answers) {
    row(a, "", a.question->request);
    if (!sweeps) continue;
    for (size_t i = 0; i < kAxes.size(); ++i) {
      for (const device::SweepPoint& p : device::sweep(device, a.question->request, kAxes[i])) {
        device::OccupancyRequest r = a.question->request;
        if (kAxes[i] == SweepAxis::BlockSize) r.threads_per_block = p.value;
        if (kAxes[i] == SweepAxis::Registers) r.registers_per_thread = p.value;
        if (kAxes[i] == SweepAxis::SharedMemory) r.static_shared_bytes = 0, r.dynamic_shared_bytes = p.value;
        row(a, kAxisKeys[i], r);
      }
    }
  }
}

void write_occupancy_json(std::ostream& out, const device::DeviceSpec& device,
                          const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options) {
  const bool sweeps = options.charts;
  Json cases = Json::array();
  for (const OccupancyAnswer& a : answers) cases.push_back(case_json(device, a, sweeps));
  const Json all = {
      {"format", "drywarp occupancy"},
      {"version", kFormatVersion},
      {"device",
       {{"name", device.name},
        {"compute_capability", fmt::format("{}.{}", device.compute_capability.major, device.compute_capability.minor)},
        {"multiprocessors", device.multiprocessors},
        {"warps_per_sm", device.max_warps_per_multiprocessor()}}},
      {"cases", std::move(cases)}};
  out << all.dump(2) << '\n';
}

}  // namespace drywarp::report
