#include <fmt/format.h>

#include <algorithm>

#include "faces/explain/draw/sketch.h"

namespace drywarp::explain {
namespace {

// Each thread's warp: x to the right, y downwards, one picture per z.
std::string draw_block(const WarpExplanation& e, const Pen& pen) {
  const Extent3& block = e.launch.block;
  const unsigned digits = e.warps.size() > 10 ? 2 : 1;
  const unsigned columns = (pen.width - 12) / (digits + 1);
  if (block[1] == 1 && block[2] == 1) return {};
  constexpr uint32_t kMostLayers = 4, kMostRows = 32;
  std::string out = "Each thread's warp (threadIdx.x to the right, threadIdx.y downwards):\n";
  for (uint32_t z = 0; z < std::min(block[2], kMostLayers); ++z) {
    if (block[2] != 1) out += fmt::format("  threadIdx.z = {}\n", z);
    for (uint32_t y = 0; y < std::min(block[1], kMostRows); ++y) {
      out += fmt::format("    y {:>3} {}", y, pen.bar());
      for (uint32_t x = 0; x < std::min(block[0], columns); ++x) {
        const uint32_t thread = (z * block[1] + y) * block[0] + x;
        out += fmt::format(" {:>{}}", thread / kWarpSize, digits);
      }
      out += block[0] > columns ? " ...\n" : "\n";
    }
    if (block[1] > kMostRows)
      out += fmt::format("      {}  {}\n", pen.more(), plural(block[1] - kMostRows, "more row"));
  }
  if (block[2] > kMostLayers) out += fmt::format("    {}\n", plural(block[2] - kMostLayers, "more layer"));
  return out + '\n';
}

}  // namespace

std::string draw(const WarpExplanation& e, const Pen& pen) {
  std::string out =
      fmt::format("A block of {}: {} in {}; grid {}: {} in {}\n\n", to_string(e.launch.block),
                  plural(e.launch.threads(), "thread"), plural(e.warps.size(), "warp"), to_string(e.launch.grid),
                  plural(e.warps_in_grid(), "warp"), plural(e.launch.blocks(), "block"));
  out += draw_block(e, pen);
  const char* what = e.launch.block[2] != 1 ? "(x, y, z)" : e.launch.block[1] != 1 ? "(x, y)" : "(x)";
  const auto span = [&](const WarpThreads& w) {
    return fmt::format("{} to {}", thread_place(w.first, e.launch.block), thread_place(w.last, e.launch.block));
  };
  size_t widest = 16;
  for (const WarpThreads& w : e.warps) widest = std::max(widest, span(w).size());
  out += fmt::format("  warp  lanes with a thread                 threads  threadIdx {}\n", what);
  for (const WarpThreads& w : e.warps)
    out += fmt::format("  {:>4}  {}{}{} {:>8}  {}\n", w.warp, pen.bar(), lane_row(e.launch.lanes_of(w.warp), ~0u, pen),
                       pen.bar(), w.threads, left(span(w), 0));
  out += fmt::format("\nA thread's number in its block is threadIdx.x");
  if (e.launch.block[1] != 1 || e.launch.block[2] != 1) out += fmt::format(" + {} * threadIdx.y", e.launch.block[0]);
  if (e.launch.block[2] != 1) out += fmt::format(" + {} * threadIdx.z", e.launch.block[0] * e.launch.block[1]);
  out += "; its warp is that / 32, its lane that % 32.\n";
  if (e.idle_lanes() != 0)
    out += fmt::format(
        "The last warp has {} without a thread: {} of a block's lanes idle. Blocks of a multiple of 32 "
        "threads waste none.\n",
        plural(e.idle_lanes(), "lane"), percent(100.0 * e.idle_lanes() / (e.launch.warps() * kWarpSize)));
  return out;
}

}  // namespace drywarp::explain
