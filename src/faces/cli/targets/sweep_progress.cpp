#include "faces/cli/targets/sweep_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/support/readable.h"
#include "faces/cli/options/console.h"

namespace drywarp::cli {
namespace {

// "45 s", "12 min", "3 h 20 min"
std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<uint64_t>(std::min(seconds / 60 + 0.5, 1e9));
  return minutes < 100 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

// "120 rows/s", "3.1 rows/s", "14 s a row"
std::string rate_text(double rows_a_second) {
  if (rows_a_second < 0.95) return fmt::format("{:.2g} s a row", 1 / rows_a_second);
  return fmt::format("{:.{}f} rows/s", rows_a_second, rows_a_second < 9.95 ? 1 : 0);
}

}  // namespace

std::string sweep_progress_text(const sweep::SweepProgress& p, const sweep::Space& space, size_t columns) {
  const size_t bar = columns < 100 ? 10 : 20, filled = p.total == 0 ? bar : bar * p.done / p.total;
  std::string text = fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(bar - filled, '.'), p.done,
                                 p.total, sweep::key(p.stage));
  if (p.run != 0 && p.seconds > 0) {
    const double rate = static_cast<double>(p.run) / p.seconds;
    text += fmt::format(", {}, {} left", rate_text(rate), time_left(static_cast<double>(p.total - p.done) / rate));
  }
  if (p.best)
    text += fmt::format(", best {}: {}", readable_seconds(*p.best->measurement->seconds),
                        space.text(p.best->configuration));
  return text.size() <= columns || columns < 3 ? text.substr(0, columns) : text.substr(0, columns - 3) + "...";
}

SweepProgressLine::SweepProgressLine(const sweep::Space& space)
    : space_(space), terminal_(ProgressLine::can_show(STDERR_FILENO)) {}

SweepProgressLine::~SweepProgressLine() {
  if (shown_) say("\r\033[K");
}

void SweepProgressLine::show(const sweep::SweepProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now, shown_ = true;
  winsize size{};
  const size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  say("\r\033[K" + sweep_progress_text(progress, space_, columns));
}

}  // namespace drywarp::cli
