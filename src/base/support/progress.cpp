#include "base/support/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

namespace drywarp {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFirst{1000}, kBetween{250};

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string shortened(const std::string& name, size_t most) {
  if (name.size() <= most) return name;
  return most < 3 ? name.substr(0, most) : name.substr(0, most - 3) + "...";
}

}  // namespace

ProgressReporter::ProgressReporter(const ReportProgress& report, std::function<Progress()> look) {
  if (!report) return;
  thread_ = std::thread([this, &report, look = std::move(look), begin = Clock::now()] {
    std::unique_lock lock(mutex_);
    for (auto wait = kFirst; !ended_.wait_for(lock, wait, [this] { return done_; }); wait = kBetween) {
      Progress now = look();
      now.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      report(now);
    }
  });
}

ProgressReporter::~ProgressReporter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

std::string progress_text(const Progress& p, unsigned columns) {
  std::string numbers = p.how.empty() ? "" : " " + p.how;
  const double done = p.total == 0 ? 0 : double(p.done) / double(p.total);
  if (p.total != 0 && p.unit.empty()) numbers += fmt::format(": {:.0f} %", 100 * done);
  if (p.total != 0 && !p.unit.empty())
    numbers += fmt::format(": {} of {} {}", with_commas(p.done), with_commas(p.total), p.unit);
  numbers += done > 0 ? fmt::format(", {} left", duration(p.seconds * (1 - done) / done))
                      : fmt::format(", {} so far", duration(p.seconds));
  const size_t taken = p.doing.size() + 1 + numbers.size();
  return fmt::format("{} {}{}", p.doing, shortened(p.what, columns > taken ? columns - taken : 0), numbers)
      .substr(0, columns);
}

bool ProgressLine::can_show(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal && *terminal && std::string_view(terminal) != "dumb";
}

// One write(), so that other output cannot split an escape sequence.
void ProgressLine::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t written = ::write(terminal_, text.data(), text.size());
}

void ProgressLine::show(const Progress& progress) {
  constexpr unsigned kUsual = 80;
  winsize size{};
  const unsigned columns = ioctl(terminal_, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsual;
  const std::string line = progress_text(progress, columns - 1);
  const std::lock_guard hold(mutex_);
  shown_ = true;
  // Save the cursor, stop wrapping, clear to the end of the line; text; restore both.
  write("\0337\033[?7l\033[K" + line + "\033[?7h\0338");
}

void ProgressLine::clear() {
  const std::lock_guard hold(mutex_);
  if (!shown_) return;
  shown_ = false;
  write("\033[K");
}

}  // namespace drywarp
