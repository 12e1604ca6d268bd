#include "faces/cli/targets/sweep_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/support/readable.h"
#include "faces/cli/options/console.h"

namespace drywarp::cli {

std::string sweep_progress_text(const sweep::SweepProgress& p, const sweep::Space& space, size_t columns) {
  constexpr size_t kBar = 20;
  const size_t filled = p.total == 0 ? kBar : kBar * p.done / p.total;
  std::string text = fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(kBar - filled, '.'), p.done,
                                 p.total, sweep::key(p.stage));
  if (p.run != 0 && p.seconds > 0) {
    const double rate = static_cast<double>(p.run) / p.seconds;
    text += fmt::format(", {:.2g} rows/s, {:.0f} s left", rate, static_cast<double>(p.total - p.done) / rate);
  }
  if (p.best)
    text += fmt::format(", best {}: {}", readable_seconds(*p.best->measurement->seconds),
                        space.text(p.best->configuration));
  return text.substr(0, columns);
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
