#include "profile/report/writers/costly_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/support/plural.h"
#include "profile/report/model/numbers.h"

namespace drywarp::report {
namespace {

using metrics::AccessKind;

constexpr double kLeastShare = 0.01;  // of a kernel's time, to be shown

std::optional<LineAccess> access_of(const metrics::Sums& sums) {
  std::optional<LineAccess> most;
  uint64_t requests = 0;
  for (const AccessKind kind : {AccessKind::Atomic, AccessKind::Load, AccessKind::Store})
    for (const Memory memory : {Memory::Global, Memory::Shared, Memory::Local})
      if (const uint64_t here = sums.of(memory, kind).requests; here > requests)
        most = LineAccess{memory, kind}, requests = here;
  return most;
}

void add(PartTime& to, const PartTime& part) {
  to.issued += part.issued;
  for (size_t k = 0; k < to.stalls.size(); ++k) to.stalls[k] += part.stalls[k];
  to.share += part.share;
  to.seconds += part.seconds;
}

// "global load: 32 sectors a request, 4 would do"
std::string access_text(const metrics::Sums& sums, LineAccess access) {
  constexpr const char* memories[] = {"global", "shared", "local"};
  const metrics::AccessSums& a = sums.of(access.memory, access.kind);
  const double requests = double(a.requests);
  const bool atomic = access.kind == AccessKind::Atomic;
  const char* kind = atomic ? "atomic" : access.kind == AccessKind::Load ? "load" : "store";
  const char* unit = access.memory == Memory::Shared ? "wavefront" : "sector";
  std::string text = fmt::format("{} {}: ", memories[size_t(access.memory)], kind);
  if (atomic) return text + plural_real(double(a.atomic_rounds) / requests, "serial round") + " a request";
  text += plural_real(double(a.units) / requests, unit) + " a request, ";
  if (a.excess == 0) return text + "the fewest possible";
  return text + fmt::format("{:.3g} would do", double(a.units - std::min(a.excess, a.units)) / requests);
}

bool wasteful(const LinePart& part) {
  uint64_t excess = 0;
  for (const auto& kinds : part.sums.accesses)
    for (const AccessKind kind : {AccessKind::Load, AccessKind::Store}) excess += kinds[size_t(kind)].excess;
  return excess != 0;
}

}  // namespace

std::vector<CostlyLine> costly_lines(const KernelModel& kernel) {
  std::map<std::pair<std::string, uint32_t>, std::map<std::optional<LineAccess>, LinePart>> lines;
  uint64_t all = 0;
  for (const InstructionModel& i : kernel.instructions) {
    all += i.sums.all().warps;
    if (i.line == 0) continue;
    const std::optional<LineAccess> access = access_of(i.sums);
    LinePart& part = lines[{i.file, i.line}][access];
    part.access = access;
    part.sums += i.sums;
    add(part.time, i.time);
  }
  std::vector<CostlyLine> sorted;
  for (auto& [place, parts] : lines) {
    CostlyLine line;
    line.file = place.first, line.line = place.second;
    for (auto& [access, part] : parts) {
      part.share = kernel.time ? part.time.share : all == 0 ? 0 : double(part.sums.all().warps) / double(all);
      line.share += part.share;
      if (part.share >= kLeastShare) line.parts.push_back(std::move(part));
    }
    if (line.share < kLeastShare) continue;
    std::ranges::sort(line.parts, [](const LinePart& a, const LinePart& b) {
      return std::tie(b.share, a.access) < std::tie(a.share, b.access);
    });
    for (const LineModel& known : kernel.lines)
      if (known.line == line.line && known.file == line.file) line.source = known.source;
    sorted.push_back(std::move(line));
  }
  std::ranges::sort(sorted, [](const CostlyLine& a, const CostlyLine& b) {
    return std::tie(b.share, a.file, a.line) < std::tie(a.share, b.file, b.line);
  });
  return sorted;
}

std::string place(const CostlyLine& line) {
  const size_t slash = line.file.rfind('/');
  return fmt::format("{}:{}", slash == line.file.npos ? line.file : line.file.substr(slash + 1), line.line);
}

std::string share_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string what(const LinePart& part, bool with_share) {
  std::vector<std::string> texts;
  if (part.access) texts.push_back(access_text(part.sums, *part.access));
  if (part.sums.divergent != 0)
    texts.push_back(fmt::format("{:.3g} % of its branches diverge",
                                100 * double(part.sums.divergent) / double(part.sums.branches)));
  for (const StallShare& s : largest_stalls(part.time, 1))
    if (s.stall != sm::Stall::Selected) texts.push_back(fmt::format("{} {:.0f} %", sm::name(s.stall), 100 * s.share));
  if (!with_share) return fmt::format("{}", fmt::join(texts, "; "));
  if (!part.access) texts.insert(texts.begin(), "instructions without an access");
  return fmt::format("{} {}", share_text(part.share), fmt::join(texts, "; "));
}

std::string more(const std::vector<CostlyLine>& lines) {
  for (const CostlyLine& line : lines)
    for (const LinePart& part : line.parts) {
      const bool shared = part.access && part.access->memory == Memory::Shared;
      if (wasteful(part)) return fmt::format("drywarp explain {} {}", shared ? "banks" : "access", place(line));
      if (part.sums.divergent != 0) return "drywarp explain divergence " + place(line);
    }
  return {};
}

}  // namespace drywarp::report
