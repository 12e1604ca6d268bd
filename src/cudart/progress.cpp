#include "cudart/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace drywarp::cudart {
namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string shortened(const std::string& name, size_t most) {
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

}  // namespace

void ProgressLine::show(const exec::Progress& progress) {
  const double done = progress.blocks_total ? double(progress.blocks_done) / double(progress.blocks_total) : 0;
  std::string line =
      fmt::format("{}: {}/{} blocks", shortened(progress.kernel, 40), progress.blocks_done, progress.blocks_total);
  if (progress.seconds > 0)
    line += fmt::format(", {:.0f} M warp instructions/s", double(progress.warp_instructions) / progress.seconds * 1e-6);
  if (done > 0) line += ", " + duration(progress.seconds * (1 - done) / done) + " left";
  const std::lock_guard hold(mutex_);
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  const std::lock_guard hold(mutex_);
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace drywarp::cudart
