// Barriers that not every thread of a block reached, in the text report.
#include <fmt/format.h>

#include <cctype>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {

void write_barriers(std::ostream& out, const KernelModel& kernel, const ReportOptions& options) {
  for (const BarrierOfLine& b : kernel.barriers) {
    std::string text = barrier_text(b, place_of(b, false));
    text.front() = static_cast<char>(std::toupper(text.front()));
    if (b.note.times > 1) text += fmt::format(". It happened {}", plural(b.note.times, "time"));
    write_indented(out, text, 2, options.width);
  }
}

}  // namespace drywarp::report
