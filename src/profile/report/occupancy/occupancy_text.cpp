// Occupancy for people: a table of resources, advice, and the sweeps as charts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/occupancy/occupancy.h"
#include "profile/report/writers/layout.h"

namespace drywarp::report {
namespace {

using device::DeviceSpec;
using device::Occupancy;
using device::SweepAxis;
using device::SweepPoint;

double percent(const DeviceSpec& device, uint32_t warps) {
  return 100.0 * warps / device.max_warps_per_multiprocessor();
}

std::string bytes(uint64_t n) {
  constexpr uint64_t kKilo = 1024;
  return n >= kKilo && n % kKilo == 0 ? fmt::format("{} KB", n / kKilo) : plural(n, "byte");
}

class Text {
 public:
  Text(std::ostream& out, const DeviceSpec& device, const OccupancyOptions& options)
      : out_(out), device_(device), options_(options), style_{options.colour} {}

  void device_line() {
    line(fmt::format(
        "{}, compute capability {}.{}: an SM has {} warps ({} threads), {} block slots, {} registers, {} of "
        "shared memory; {}",
        device_.name, device_.compute_capability.major, device_.compute_capability.minor,
        device_.max_warps_per_multiprocessor(), device_.max_threads_per_multiprocessor,
        device_.max_blocks_per_multiprocessor, device_.registers_per_multiprocessor,
        bytes(device_.shared_per_multiprocessor), plural(device_.multiprocessors, "SM")));
  }

  void one(const OccupancyAnswer& a) {
    const OccupancyCase& c = *a.question;
    line("");
    if (!c.kernel.empty()) kernel(c);
    headline(a);
    table(a);
    advice(a);
    grid(a);
    if (options_.charts) charts(a);
  }

 private:
  void line(const std::string& text) { out_ << text << '\n'; }
  void fact(const char* word, const std::string& text) { line(fmt::format("  {:<13} {}", word, text)); }

  void kernel(const OccupancyCase& c) {
    line(style_.bold(c.kernel));
    std::string facts;
    if (c.resources) {
      facts = fmt::format("{} registers a thread ({})", c.request.registers_per_thread,
                          readable_source(c.resources->resources_from));
      if (c.request.static_shared_bytes)
        facts += fmt::format(", {} static shared", bytes(c.request.static_shared_bytes));
      if (c.local_bytes) facts += fmt::format(", {} local a thread", bytes(c.local_bytes));
      if (c.resources->spill_store_bytes.value_or(0) || c.resources->spill_load_bytes.value_or(0))
        facts += fmt::format(", spills: {} bytes stored, {} loaded", c.resources->spill_store_bytes.value_or(0),
                             c.resources->spill_load_bytes.value_or(0));
      if (c.block_limit) facts += fmt::format(", at most {} threads a block", c.block_limit);
    }
    if (!facts.empty()) line("  " + facts);
  }

  void headline(const OccupancyAnswer& a) {
    const OccupancyCase& c = *a.question;
    std::string configuration = fmt::format("block of {}", c.request.threads_per_block);
    if (c.block) configuration = fmt::format("block ({}, {}, {})", c.block->x, c.block->y, c.block->z);
    if (c.request.dynamic_shared_bytes)
      configuration += fmt::format(", {} dynamic shared", bytes(c.request.dynamic_shared_bytes));
    if (c.request.carveout_percent) configuration += fmt::format(", carve-out {} %", *c.request.carveout_percent);
    if (c.suggested_block) configuration += " (no size given: this one has the most warps)";
    if (c.launches) configuration += fmt::format(", {} {}", c.launches, c.launches == 1 ? "launch" : "launches");
    line("  " + configuration);
    if (a.occupancy.blocks == 0) {
      line("  " + style_.red(fmt::format("cannot be launched: one block exceeds the limit of {}",
                                         fmt::join(a.limiters, ", "))));
      return;
    }
    line(style_.bold(fmt::format("  {} an SM, {} of {} warps: {:.4g} % occupancy, limited by {}",
                                 plural(a.occupancy.blocks, "block"), a.occupancy.warps,
                                 device_.max_warps_per_multiprocessor(), 100 * a.occupancy.fraction,
                                 fmt::join(a.limiters, " and "))));
  }

  void table(const OccupancyAnswer& a) {
    using enum Table::Align;
    Table table({Left, Left, Right, Right, Right, Right, Left}, 2, 0);
    table.head({"resource", "a block takes", "an SM has", "room for", "blocks", "warps", ""});
    for (const ResourceRow& r : a.rows) {
      const bool none = r.unused;
      table.row({r.name, r.takes, r.capacity, r.room, none ? "no limit" : fmt::format("{}", r.blocks),
                 none ? "" : fmt::format("{}", r.warps), r.limits ? (options_.unicode ? "◀ limit" : "< limit") : ""});
    }
    table.print(out_, style_);
  }

  void advice(const OccupancyAnswer& a) {
    const device::OccupancyRequest& r = a.question->request;
    if (a.next) {
      std::vector<std::string> needs;
      if (const auto n = a.next->registers_per_thread)
        needs.push_back(fmt::format("{} fewer ({} a thread)", plural(r.registers_per_thread - *n, "register"), *n));
      if (const auto n = a.next->shared_bytes)
        needs.push_back(fmt::format("{} of shared memory fewer ({})",
                                    plural(r.static_shared_bytes + r.dynamic_shared_bytes - *n, "byte"), *n));
      if (const auto n = a.next->barriers)
        needs.push_back(fmt::format("{} fewer ({})", plural(r.barriers - *n, "barrier"), *n));
      fact("next step up",
           fmt::format("{} -> {}, {}, {:.4g} %", fmt::join(needs, " and "), plural(a.next->blocks, "block"),
                       plural(a.next->warps, "warp"), percent(device_, a.next->warps)));
    }
    if (a.better_block && a.occupancy.blocks != 0)
      fact("block size", fmt::format("{} threads -> {}, {}, {:.4g} %", a.better_block->threads_per_block,
                                     plural(a.better_block->blocks, "block"), plural(a.better_block->warps, "warp"),
                                     percent(device_, a.better_block->warps)));
    if (a.smallest_best_block) {
      const device::BlockStep& s = *a.smallest_best_block;
      const bool full = s.warps == device_.max_warps_per_multiprocessor();
      fact("smallest", fmt::format("{} threads a block reach {} ({}, {} warps); fewer do not", s.threads_per_block,
                                   full ? std::string("full occupancy")
                                        : fmt::format("{:.4g} %, the most possible here", percent(device_, s.warps)),
                                   plural(s.blocks, "block"), s.warps));
    }
    if (a.best.threads_per_block)
      fact("suggested",
           fmt::format("{} threads a block: {}, {} warps, {:.4g} %; {} to fill the device "
                       "(cudaOccupancyMaxPotentialBlockSize)",
                       a.best.threads_per_block, plural(a.best_occupancy.blocks, "block"), a.best_occupancy.warps,
                       percent(device_, a.best_occupancy.warps), plural(a.best.min_grid, "block")));
    if (a.occupancy.blocks != 0)
      fact("headroom",
           fmt::format("up to {} a thread, or {} of shared memory a block, change nothing",
                       plural(a.headroom.registers_per_thread, "register"), bytes(a.headroom.shared_bytes)));
    guidelines(r.threads_per_block);
  }

  // The programming guide's rules of thumb.
  void guidelines(uint32_t threads) {
    constexpr uint32_t kLeast = 128;
    if (threads % device_.warp_size != 0) {
      const uint32_t idle = device_.warp_size - threads % device_.warp_size;
      fact("note", fmt::format("{} threads are no multiple of {}: {} of the last warp {} idle", threads,
                               device_.warp_size, plural(idle, "lane"), idle == 1 ? "is" : "are"));
    } else if (threads < kLeast) {
      fact("note", fmt::format("blocks of 128 to 256 threads are a good start; this has {}", threads));
    }
  }

  void grid(const OccupancyAnswer& a) {
    if (!a.question->grid) return;
    const uint64_t grid = *a.question->grid;
    if (!a.waves) return;
    const device::Waves& w = *a.waves;
    std::string text = fmt::format("{}, {} a wave: {:.3g} waves", plural(grid, "block"), w.blocks_a_wave, w.waves);
    if (w.tail == 0)
      text += ", no tail";
    else if (w.full == 0)
      text += fmt::format(", which {} the device: {} of {} block slots filled",
                          w.idle_sms ? "do not fill" : "fill only part of", w.tail, w.blocks_a_wave);
    else
      text += fmt::format(", the last of {}", plural(w.tail, "block"));
    if (w.idle_sms) text += fmt::format(", {} idle", plural(w.idle_sms, "SM"));
    if (w.tail != 0)
      text += fmt::format("; {:.3g} % of block slots filled, averaged over all waves", 100 * w.slots_used);
    fact("grid", text);
  }

  void charts(const OccupancyAnswer& a) {
    for (const auto axis : {SweepAxis::BlockSize, SweepAxis::Registers, SweepAxis::SharedMemory}) chart(a, axis);
  }

  // Resident warps over one quantity, as NVIDIA's occupancy calculator draws it.
  void chart(const OccupancyAnswer& a, SweepAxis axis) {
    const device::OccupancyRequest& r = a.question->request;
    const auto points = device::sweep(device_, r, axis);
    const uint64_t shared = r.static_shared_bytes + r.dynamic_shared_bytes;
    const uint64_t now = axis == SweepAxis::BlockSize   ? r.threads_per_block
                         : axis == SweepAxis::Registers ? r.registers_per_thread
                                                        : shared;
    constexpr size_t kWide = 64;
    Chart chart;
    chart.full = device_.max_warps_per_multiprocessor();
    chart.column = points.size() <= kWide / 4 ? 4 : points.size() <= kWide / 2 + 2 ? 2 : 1;
    for (const SweepPoint& p : points) {
      chart.values.push_back(p.warps);
      if (!chart.marked && p.value >= now) chart.marked = chart.values.size() - 1;
      constexpr uint32_t kKilo = 1024;
      chart.labels.push_back(
          label(axis == SweepAxis::SharedMemory ? p.value / kKilo : p.value, chart.values.size() - 1, points.size()));
    }
    const char* unit = axis == SweepAxis::BlockSize   ? "threads a block"
                       : axis == SweepAxis::Registers ? "registers a thread"
                                                      : "KB of shared memory a block";
    line("");
    line(fmt::format("  warps an SM by {}, {} the {} here", unit, options_.unicode ? "▲" : "^",
                     axis == SweepAxis::SharedMemory ? bytes(now) : fmt::format("{}", now)));
    for (const std::string& text : draw(chart, options_.unicode)) line("  " + text);
  }

  // Labels every eighth of the width.
  static std::string label(uint64_t value, size_t index, size_t count) {
    const size_t every = std::max<size_t>(count / 8, 1);
    return (index + 1) % every == 0 || index == 0 ? fmt::format("{}", value) : std::string();
  }

  std::ostream& out_;
  const DeviceSpec& device_;
  const OccupancyOptions& options_;
  Style style_;
};

}  // namespace

void write_occupancy_text(std::ostream& out, const DeviceSpec& device, const std::vector<OccupancyAnswer>& answers,
                          const OccupancyOptions& options) {
  Text text(out, device, options);
  text.device_line();
  for (const OccupancyAnswer& a : answers) text.one(a);
}

}  // namespace drywarp::report
