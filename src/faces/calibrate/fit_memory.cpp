// Latency, bandwidth and geometry of the memory levels (cuda/latencies.cu, cuda/bandwidths.cu, cuda/atomics.cu).
#include <algorithm>
#include <cmath>

#include "faces/calibrate/fit_steps.h"

namespace drywarp::calibrate {
namespace {

std::optional<double> over(double numerator, std::optional<double> cycles) {
  if (!cycles || *cycles == 0) return std::nullopt;
  return numerator / *cycles;
}
std::optional<double> snapped(std::optional<double> value) {
  if (!value) return value;
  return snapped_to_power_of_two(*value);
}
std::optional<double> two_digits(std::optional<double> value) {
  if (!value) return value;
  return std::round(*value * 100) / 100;
}
std::optional<double> three_significant(std::optional<double> value) {
  if (!value) return value;
  return rounded(*value, 3);
}

void fit_shared(const RawResults& raw, Calibration& out) {
  set_or_miss(out, "shared.latency", whole(raw.value("shared.load32")), "shared.load32");
  set_or_miss(out, "shared.latency_64", whole(raw.value("shared.load64")), "shared.load64");
  set_or_miss(out, "shared.latency_128", whole(raw.value("shared.load128")), "shared.load128");
  std::vector<Point> strides = raw.points("shared.stride");
  std::erase_if(strides, [](const Point& p) { return p.x > 32; });
  set_or_miss(out, "shared.conflict_cycles", two_digits(slope(strides)), "shared.stride");
  // 512: 32 adjacent lanes of 16 bytes. 32: lanes in one bank.
  const auto bytes = snapped(over(512, raw.at("shared.flood128", 4)));
  set_or_miss(out, "shared.bytes_per_cycle", bytes, "shared.flood128");
  set_or_miss(out, "shared.wavefronts_per_cycle", snapped(over(32, raw.at("shared.flood32", 32))), "shared.flood32");
  set_or_miss(out, "shared.store_wavefronts_per_cycle", snapped(over(32, raw.at("shared.store_flood32", 32))),
              "shared.store_flood32");
  // The number of banks is the smallest stride (in words) at which all lanes conflict.
  std::optional<double> banks;
  const auto worst = raw.at("shared.flood32", 32);
  for (const Point& p : raw.points("shared.flood32"))
    if (worst && !banks && p.y > 0.75 * *worst) banks = p.x;
  set_or_miss(out, "shared.banks", banks, "shared.flood32");
  if (banks && bytes) set(out, "shared.bank_bytes", std::round(*bytes / *banks));
}

// The issue rate of one sub-partition. All four together are limited by the load-store unit.
void fit_load_store_issue(const RawResults& raw, Calibration& out) {
  for (const char* name : {"shared_load", "shared_store", "global_load"}) {
    const std::string series = std::string("issue.") + name;
    set_or_miss(out, series, snapped(raw.at(series, 1)), series.c_str());
  }
}

void fit_l1(const RawResults& raw, Calibration& out) {
  const auto hit = raw.value("l1.hit");
  set_or_miss(out, "l1.hit_latency", whole(hit), "l1.hit");
  if (hit) {
    // The largest working set that hits. The loop's end adds a cycle to small sets.
    set_or_miss(out, "l1.largest_bytes", last_below(raw.points("l1.sweep"), *hit * 1.1), "l1.sweep");
    if (const auto miss = raw.at("l1.neighbour", 2048)) {
      const auto near = raw.at("l1.neighbour", 0);
      set_or_miss(out, "l1.sector_bytes", first_above(raw.points("l1.neighbour"), (*near + *miss) / 2), "l1.neighbour");
    }
  }
  const auto carveouts = raw.points("multiprocessor.shared_carveouts");
  if (!carveouts.empty()) set(out, "l1.unified", carveouts.size() > 1, Evidence::Occupancy);
  if (const auto cached = raw.value("attributes.GlobalL1CacheSupported"))
    set(out, "l1.caches_global", *cached, Evidence::Cuda);
  set_or_miss(out, "l1.bytes_per_cycle", snapped(over(512, raw.at("l1.flood128", 16))), "l1.flood128");
  // 32 lines a request: all in different banks, or all in one.
  const auto spread = raw.at("l1.flood32", 132), same = raw.at("l1.flood32", 128);
  set_or_miss(out, "l1.tags_per_cycle", snapped(over(32, spread)), "l1.flood32");
  if (spread && same) set(out, "l1.bank_conflicts", *same > 2 * *spread);
  set_or_miss(out, "l1.fill_bytes_per_cycle", three_significant(over(1024, raw.at("fill.flood32", 32))),
              "fill.flood32");
  set_or_miss(out, "l1.fill_lines_per_cycle", snapped(over(32, raw.at("fill.flood32", 128))), "fill.flood32");
  set_or_miss(out, "l1.store_bytes_per_cycle", snapped(over(512, raw.at("store.flood128", 16))), "store.flood128");
  // The cost of 32 lines with one word each, beyond their 32 sectors.
  const auto lines = raw.at("store.flood32", 128), store_rate = over(512, raw.at("store.flood128", 16));
  set_or_miss(out, "l1.store_mask_bytes",
              lines && store_rate ? std::optional<double>(std::round((*lines / 32 * *store_rate - 32) / 16) * 16)
                                  : std::nullopt,
              "store.flood32");
  // Misses of one multiprocessor return from DRAM as fast as from the L2, unless the number of outstanding misses is
  // limited: then that many return in each latency.
  const auto second_half = [](std::vector<Point> points) {
    points.erase(points.begin(), points.begin() + long(points.size() / 2));
    return points;
  };
  const auto near = slope(second_half(raw.points("l1.outstanding.l2")));
  const auto far = slope(second_half(raw.points("l1.outstanding.dram")));
  const auto latency = mean(raw.points("dram.sweep"));
  if (near && far && latency && *far > 1.2 * *near)
    set(out, "l1.outstanding_sectors", std::round(*latency / *far));
  else
    out.missing.push_back("l1.outstanding_sectors: misses from DRAM flow as fast as from the L2, no limit was reached");
}

void fit_l2(const RawResults& raw, Calibration& out) {
  std::vector<Point> lines;
  for (const auto& [name, points] : raw.series)
    if (name.starts_with("l2.line_latency.")) lines.insert(lines.end(), points.begin(), points.end());
  const auto near = mean(lines), slow = mean(raw.points("dram.sweep"));
  set_or_miss(out, "l2.latency_near", whole(near), "l2.line_latency");
  if (near) set(out, "l2.partitions", 1);
  if (const auto each = slope(raw.points("l2.sectors"))) set(out, "l2.sector_latency", std::round(*each * 10) / 10);
  // The first read of a line that another multiprocessor has read takes longer if the line is in the other L2
  // partition. Single reads include the time that reading the clock takes.
  std::vector<double> far, close;
  size_t touched = 0;
  for (const auto& [name, points] : raw.series)
    if (name.starts_with("l2.first_touch."))
      for (const Point& p : points) {
        ++touched;
        if (!near || !slow || p.y >= *slow) continue;
        (p.y > *near + 0.25 * (*slow - *near) ? far : close).push_back(p.y);
      }
  if (touched != 0 && double(far.size()) > 0.05 * double(touched)) {
    set(out, "l2.latency_far", std::round(*near + *median(far) - median(close).value_or(*near)));
    out.numbers.erase(std::find_if(out.numbers.begin(), out.numbers.end(),
                                   [](const FittedNumber& n) { return n.path == "l2.partitions"; }));
    set(out, "l2.partitions", 2);
  } else {
    out.missing.push_back("l2.latency_far: no line took markedly longer than others");
  }
  set_or_miss(out, "l2.sector_bytes", raw.at("l1.neighbour", 32) ? std::optional<double>(32) : std::nullopt,
              "l1.neighbour");
  // The largest working set with the latency of small ones.
  std::optional<double> fits;
  if (const auto start = lowest(raw.points("l2.sweep")))
    for (const Point& p : raw.points("l2.sweep"))
      if (p.y < *start * 1.05) fits = p.x;
  set_or_miss(out, "l2.effective_bytes", fits, "l2.sweep");
  const auto hit = raw.at("l2.neighbour", 0), miss = raw.at("l2.neighbour", 2048);
  if (hit && miss)
    if (const auto first = first_above(raw.points("l2.neighbour"), (*hit + *miss) / 2))
      set(out, "l2.fill_sectors", *first / 32);
  const auto hz = raw.value("clock.hz");
  const auto read = highest(raw.points("l2.read_rate")), write = highest(raw.points("l2.write_rate"));
  if (hz && read) set(out, "l2.read_bytes_per_cycle", rounded(*read / *hz, 3));
  if (hz && write) set(out, "l2.write_bytes_per_cycle", rounded(*write / *hz, 3));
  // Half of the writes cross between the two partitions, in both directions. The fabric between them is the bottleneck.
  const auto* partitions = out.find("l2.partitions");
  const auto written = raw.value("l2.own_line_write_rate");
  if (hz && written && partitions && partitions->value == 2)
    set(out, "l2.fabric_bytes_per_cycle", rounded(*written * 128 / *hz / 4, 3));
}

void fit_dram(const RawResults& raw, Calibration& out) {
  // Beyond a gigabyte, address translations miss.
  std::vector<Point> sweep = raw.points("dram.sweep");
  std::erase_if(sweep, [](const Point& p) { return p.x > double(1u << 30); });
  set_or_miss(out, "dram.latency", whole(mean(sweep)), "dram.sweep");
  set_or_miss(out, "dram.read_bytes_per_second", three_significant(raw.value("dram.read_rate")), "dram.read_rate");
  set_or_miss(out, "dram.write_bytes_per_second", three_significant(raw.value("dram.write_rate")), "dram.write_rate");
  set_or_miss(out, "dram.copy_bytes_per_second", three_significant(raw.value("dram.copy_rate")), "dram.copy_rate");
}

void fit_constant(const RawResults& raw, Calibration& out) {
  // Between two loads is a shift that turns an index into an address.
  const auto* alu = out.find("latency.alu");
  const auto& sweep = raw.points("constant.sweep");
  const auto first = lowest(sweep);
  if (!alu || !first) return out.missing.push_back("[constant]: needs constant.sweep and latency.alu");
  set(out, "constant.l1_latency", std::round(*first - alu->value));
  const auto size = last_below(sweep, *first * 1.25);
  set_or_miss(out, "constant.l1_bytes", size, "constant.sweep");
  std::vector<Point> behind;
  for (const Point& p : sweep)
    if (size && p.x > *size) behind.push_back(p);
  const auto second = lowest(behind);
  if (second) {
    set(out, "constant.l15_latency", std::round(*second - alu->value));
    const auto end = last_below(behind, *second * 1.25);
    if (end && *end < sweep.back().x)
      set(out, "constant.l15_bytes", *end);
    else
      out.missing.push_back("constant.l15_bytes: all of constant memory fits");
  }
  if (const auto cold = highest(raw.points("constant.line")))
    set(out, "constant.l2_latency", std::round(*cold - alu->value));
}

void fit_atomics(const RawResults& raw, Calibration& out) {
  const auto hz = raw.value("clock.hz");
  const auto rate = [&](const char* path, const char* name, double results_each = 1) {
    const auto results = raw.value(name);
    set_or_miss(out, path, results && hz ? three_significant(*results / *hz / results_each) : std::nullopt, name);
  };
  set_or_miss(out, "atomics.global_latency", whole(raw.value("atomics.global_chain")), "atomics.global_chain");
  rate("atomics.global_same_address_per_cycle", "atomics.same_address");
  rate("atomics.global_same_address_request_per_cycle", "atomics.same_address_one_lane");
  rate("atomics.global_float_same_address_per_cycle", "atomics.float_same_address");
  rate("atomics.unit_sectors_per_cycle", "atomics.one_line", 8);  // words of a sector
  rate("atomics.unit_double_sectors_per_cycle", "atomics.double_one_line", 4);
  rate("atomics.global_address_per_warp_per_cycle", "atomics.address_per_warp");
  rate("atomics.global_spread_per_cycle", "atomics.spread");
  rate("atomics.global_random_per_cycle", "atomics.random");
  rate("atomics.sm_spread_per_cycle", "atomics.one_multiprocessor_spread");
  set_or_miss(out, "atomics.shared_latency", whole(raw.at("atomics.shared_chain", 1)), "atomics.shared_chain");
  set_or_miss(out, "atomics.shared_cas_latency", whole(raw.at("atomics.shared_cas_chain", 1)),
              "atomics.shared_cas_chain");
  set_or_miss(out, "atomics.shared_per_cycle", snapped(over(32, raw.at("atomics.shared_flood", 1))),
              "atomics.shared_flood");
  set_or_miss(out, "atomics.shared_same_address_cycles", two_digits(slope(raw.points("atomics.shared_chain"))),
              "atomics.shared_chain");
}

}  // namespace

void fit_memory(const RawResults& raw, Calibration& out) {
  fit_shared(raw, out);
  fit_load_store_issue(raw, out);
  fit_l1(raw, out);
  fit_l2(raw, out);
  fit_dram(raw, out);
  fit_constant(raw, out);
  fit_atomics(raw, out);
}

}  // namespace drywarp::calibrate
