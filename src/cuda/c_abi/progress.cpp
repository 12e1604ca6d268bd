#include "cuda/c_abi/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace drywarp::cudart {
namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string rate(double blocks_per_second) {
  return fmt::format("{:.{}f} blocks/s", blocks_per_second, blocks_per_second < 10 ? 1 : 0);
}

std::string shortened(const std::string& name, size_t most) {
  if (name.size() <= most) return name;
  return most < 3 ? name.substr(0, most) : name.substr(0, most - 3) + "...";
}

// "reduce<4>(int const*, int): 120/4096 blocks (3%), 85 blocks/s, 47 s left", or "...: compiling, 3 s so far", no
// longer than `columns`.
std::string progress_text(const exec::Progress& progress, unsigned columns) {
  using Phase = exec::Progress::Phase;
  const double done = progress.blocks_total ? double(progress.blocks_done) / double(progress.blocks_total) : 0;
  std::string numbers =
      fmt::format(": {}/{} blocks ({:.0f}%)", progress.blocks_done, progress.blocks_total, 100 * done);
  if (progress.phase != Phase::Running)
    numbers = fmt::format(": {}, {} so far", progress.phase == Phase::Compiling ? "compiling" : "modelling its time",
                          duration(progress.seconds));
  else if (progress.blocks_done == 0)
    numbers += ", " + duration(progress.seconds) + " so far";
  else if (progress.seconds > 0)
    numbers += ", " + rate(double(progress.blocks_done) / progress.seconds) + ", " +
               duration(progress.seconds * (1 - done) / done) + " left";
  const size_t for_name = columns > numbers.size() ? columns - numbers.size() : 0;
  return (shortened(progress.kernel, for_name) + numbers).substr(0, columns);
}

}  // namespace

void ProgressLine::show(const exec::Progress& progress) {
  winsize size{};
  // A line that reaches the last column wraps on some terminals, and could not be cleared.
  const unsigned columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
  const std::string line = progress_text(progress, columns);
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
