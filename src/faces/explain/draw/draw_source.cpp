#include <fmt/format.h>

#include <bit>

#include "faces/explain/draw/sketch.h"
#include "faces/explain/source_access.h"
#include "faces/explain/source_branches.h"

namespace drywarp::explain {
namespace {

const char* verb(const SourceAccess& a) { return a.atomic ? "atomic" : a.store ? "store" : "load"; }

std::string extent(const record::Extent& e) { return to_string(Extent3{e.x, e.y, e.z}); }

std::string draw_access(const SourceAccess& a, const Pen& pen) {
  const bool shared = a.memory == Memory::Shared;
  const AccessCounts& c = a.counts;
  std::string out = fmt::format("{}\n  {}  (PTX line {})\n  {} {} of {} a thread, launch {}: grid {}, block {}{}\n\n",
                                a.kernel, a.instruction, a.ptx_line, memory_name(a.memory), verb(a),
                                plural(a.bytes, "byte"), a.launch, extent(a.grid), extent(a.block),
                                a.launches > 1 ? fmt::format(", the costliest of {}", a.launches) : "");
  const double requests = static_cast<double>(c.requests);
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("requests",
                    fmt::format("{}, {:.1f} lanes each", c.requests, static_cast<double>(c.lanes) / requests));
  rows.emplace_back(shared ? "wavefronts a request" : "sectors a request",
                    c.units < c.ideal_units
                        ? fmt::format("{:.2f}; lanes share sectors", static_cast<double>(c.units) / requests)
                        : fmt::format("{:.2f}; {:.2f} would do", static_cast<double>(c.units) / requests,
                                      static_cast<double>(c.ideal_units) / requests));
  if (shared) rows.emplace_back("worst conflict", fmt::format("{}-way", c.ways));
  if (!shared && c.units != 0)
    rows.emplace_back("efficiency", fmt::format("{} of the bytes moved are wanted",
                                                percent(100.0 * static_cast<double>(c.unique_bytes) /
                                                        static_cast<double>(c.units * kSectorBytes))));
  if (a.atomic)
    rows.emplace_back("addresses a request", fmt::format("{:.2f}, {:.2f} lanes on the busiest",
                                                         static_cast<double>(c.atomic_addresses) / requests,
                                                         static_cast<double>(c.atomic_rounds) / requests));
  out += facts(rows);
  if (!a.sample) return out;
  const AccessSample& s = a.sample->sample;
  out +=
      fmt::format("\n  Its costliest warp: {} of block {} in launch {}, lanes {}, {}, {}\n", s.warp, s.block,
                  a.sample->launch, lane_list(s.lanes, pen), plural(s.units, shared ? "wavefront" : "sector"),
                  !a.step        ? "no fixed step from lane to lane"
                  : *a.step == 0 ? "all at one address"
                                 : fmt::format("{} {} from lane to lane", *a.step, noun_for(double(*a.step), "byte")));
  if (a.sectors && !a.atomic) out += "  " + verdict_text(*a.sectors, s.size) + '\n';
  if (a.sectors) out += draw_sectors(a.sectors->lanes, s.size, pen);
  if (a.banks) out += draw_turns(a.banks->turns, pen);
  if (a.longer)
    out += fmt::format("\n  With {} more from lane to lane (rows of {} bytes instead of {}): {} instead of {}.\n",
                       plural(a.longer->elements, "element"), a.longer->step, *a.step,
                       plural(a.longer->wavefronts, "wavefront"), s.units);
  return out;
}

std::string draw_branch(const SourceBranch& b) {
  std::string out = fmt::format("{}\n  {}  (PTX line {})\n  launch {}: grid {}, block {}{}\n\n", b.kernel,
                                b.instruction, b.ptx_line, b.launch, extent(b.grid), extent(b.block),
                                b.launches > 1 ? fmt::format(", the most divergent of {}", b.launches) : "");
  const auto share = [&](uint64_t n) {
    return fmt::format("{} of {}, {}", n, b.warps, percent(100.0 * double(n) / double(b.warps)));
  };
  out += facts({{"reached", fmt::format("{} by a warp, {:.1f} lanes each", plural(b.warps, "time"),
                                        double(b.lanes) / double(b.warps))},
                {"taken", share(b.taken) + ": by at least one lane"},
                {"divergent", share(b.divergent) + (b.divergent != 0 ? ": both sides run, one after the other" : "")}});
  return out;
}

}  // namespace

std::string draw(const LineExplanation& e, const Pen& pen) {
  std::string out = fmt::format("{}:{}: {}\n", e.file, e.line, e.source);
  for (const SourceAccess& access : e.accesses) out += '\n' + draw_access(access, pen);
  return out;
}

std::string draw(const BranchLine& e, const Pen&) {
  std::string out = fmt::format("{}:{}: {}\n", e.file, e.line, e.source);
  for (const SourceBranch& branch : e.branches) out += '\n' + draw_branch(branch);
  const SourceBranch& b = e.branches.front();
  return out + fmt::format(
                   "\nThe lanes of each warp, for a condition of threadIdx and blockIdx:\n"
                   "  drywarp explain divergence \"CONDITION\" --block {} --grid {}\n",
                   extent(b.block), extent(b.grid));
}

}  // namespace drywarp::explain
