// `drywarp what-if`: each kernel's time with one cost changed, the largest gain first.
#include "profile/report/writers/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <tuple>

#include "model/whatif/what_if.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using enum Table::Align;

struct Change {
  std::string change;  // "coalesced", "line t.cu:7"
  double seconds = 0;
};

struct Kernel {
  std::string name;
  std::string block;      // "256", "32x8"
  uint64_t launches = 0;  // with a time
  double seconds = 0;
  std::vector<Change> changes;  // the largest gain first
};

// A kernel in blocks of another size is another entry. Launches that lack a cost take as long without it.
std::vector<Kernel> kernels_of(const record::Profile& profile) {
  std::map<std::pair<std::string, std::string>, std::pair<Kernel, std::map<std::string, double>>> by_block;
  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.time) continue;
    const std::string &name = profile.kernels[launch.kernel]->display_name, block = extent_text(launch.block);
    auto& [kernel, gained] = by_block[{name, block}];
    kernel.name = name, kernel.block = block;
    const double seconds = launch.time->summary.duration_ns * 1e-9;
    ++kernel.launches;
    kernel.seconds += seconds;
    for (const sm::Alternative& a : launch.time->alternatives) gained[a.change] += seconds - a.seconds;
  }
  std::vector<Kernel> kernels;
  for (auto& [key, found] : by_block) {
    auto& [kernel, gained] = found;
    for (const auto& [change, gain] : gained) kernel.changes.push_back({change, kernel.seconds - gain});
    std::ranges::sort(kernel.changes, {}, [](const Change& c) { return std::tie(c.seconds, c.change); });
    kernels.push_back(std::move(kernel));
  }
  std::ranges::sort(kernels, [](const Kernel& a, const Kernel& b) {
    return std::tie(b.seconds, a.name, a.block) < std::tie(a.seconds, b.name, b.block);
  });
  return kernels;
}

double gain(const Kernel& kernel, const Change& change) {
  return change.seconds > 0 ? kernel.seconds / change.seconds : 0;
}

constexpr double kLeastGain = 1.01;  // of a cost that has a line of its own

// The changes of at least `least_gain`, a line each; then the names of the others.
void write_changes(std::ostream& out, const Kernel& kernel, std::span<const Change> changes, double least_gain,
                   const Style& style, unsigned width) {
  Table table({Right, Right, Left, Left}, 2, width);
  table.wrap_last();
  table.head({"Time", "Faster", "Change", "What would be different"});
  std::string nothing;
  for (const Change& change : changes) {
    if (gain(kernel, change) >= least_gain)
      table.row({readable_seconds(change.seconds), fmt::format("{:.2f}x", gain(kernel, change)), change.change,
                 whatif::meaning(change.change)});
    else
      nothing += (nothing.empty() ? "" : ", ") + change.change;
  }
  if (!table.empty()) table.print(out, style);
  if (!nothing.empty()) out << "  No gain: " << nothing << "\n";
}

void write_text(std::ostream& out, const record::Profile& profile, const ReportOptions& options) {
  const std::vector<Kernel> kernels = kernels_of(profile);
  const Style style{options.colour};
  out << fmt::format("What if? Modelled on {}; each change alone.\n", profile.device);
  for (const Kernel& kernel : kernels) {
    const auto same_name = std::ranges::count(kernels, kernel.name, &Kernel::name);
    out << fmt::format("\n{}{}   {} in {}\n", style.bold(short_name(kernel.name)),
                       same_name > 1 ? fmt::format("   blocks of {}", kernel.block) : "",
                       readable_seconds(kernel.seconds), plural(kernel.launches, "launch"));
    std::vector<Change> costs, settings;
    for (const Change& change : kernel.changes)
      (whatif::is_setting(change.change) ? settings : costs).push_back(change);
    if (!costs.empty()) {
      out << "  If a cost were gone:\n";
      write_changes(out, kernel, costs, kLeastGain, style, options.width);
    }
    if (!settings.empty()) {
      // An experiment: what is slower is an answer, too.
      out << "  With the kernel's code as it is:\n";
      write_changes(out, kernel, settings, 0, style, options.width);
    }
    if (kernel.changes.empty()) out << "  None of these changes applies to it.\n";
  }
}

void write_csv(std::ostream& out, const record::Profile& profile, const ReportOptions&) {
  const std::vector<Kernel> kernels = kernels_of(profile);
  out << "kernel,block,launches,seconds,change,seconds_after_change,gain\n";
  for (const Kernel& kernel : kernels)
    for (const Change& change : kernel.changes)
      out << fmt::format("{},{},{},{},{},{},{}\n", csv_cell(kernel.name), kernel.block, kernel.launches, kernel.seconds,
                         csv_cell(change.change), change.seconds, gain(kernel, change));
}

void write_json(std::ostream& out, const record::Profile& profile, const ReportOptions&) {
  const std::vector<Kernel> kernels = kernels_of(profile);
  using Json = nlohmann::ordered_json;
  Json all = {{"device", profile.device}, {"class", "modelled"}, {"kernels", Json::array()}};
  for (const Kernel& kernel : kernels) {
    Json changes = Json::array();
    for (const Change& change : kernel.changes)
      changes.push_back({{"change", change.change},
                         {"meaning", whatif::meaning(change.change)},
                         {"needs_edit", !whatif::is_setting(change.change)},
                         {"seconds", change.seconds},
                         {"gain", gain(kernel, change)}});
    all["kernels"].push_back({{"name", kernel.name},
                              {"block", kernel.block},
                              {"launches", kernel.launches},
                              {"seconds", kernel.seconds},
                              {"changes", changes}});
  }
  all["launches"] = Json::array();
  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.time) continue;
    Json changes = Json::object();
    for (const sm::Alternative& a : launch.time->alternatives) changes[a.change] = a.seconds;
    all["launches"].push_back({{"number", &launch - profile.launches.data()},
                               {"kernel", profile.kernels[launch.kernel]->display_name},
                               {"mangled", profile.kernels[launch.kernel]->name},
                               {"seconds", launch.time->summary.duration_ns * 1e-9},
                               {"seconds_after_change", changes}});
  }
  out << all.dump(2) << "\n";
}

constexpr OutputFormat<record::Profile, ReportOptions> kWhatIfFormats[] = {
    {"text", true, write_text}, {"csv", false, write_csv}, {"json", false, write_json}};
constexpr Formats<record::Profile, ReportOptions> kWhatIfTable("the answer of what-if", "format", kWhatIfFormats);

}  // namespace

const Formats<record::Profile, ReportOptions>& what_if_formats() { return kWhatIfTable; }

Status write_what_if(std::ostream& out, const record::Profile& profile, const ReportOptions& options) {
  const auto format = kWhatIfTable.find(options.format);
  if (!format) return format.problem();
  if (kernels_of(profile).empty()) {
    for (const record::LaunchRecord& launch : profile.launches)
      if (!launch.untimed.empty()) return error("no launch has a modelled time: " + launch.untimed);
    return error("no launch has a modelled time");
  }
  (*format)->write(out, profile, options);
  return {};
}

}  // namespace drywarp::report
