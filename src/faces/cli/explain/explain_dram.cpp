// `drywarp explain dram` and `caches`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "faces/cli/explain/explain.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/ptx_arguments.h"

namespace drywarp::cli {
namespace {

struct DramOptions {
  ExplainOptions common;
  explain::TimelineQuery timeline;
  explain::StreamQuery stream;
  explain::RowsQuery rows;
  std::vector<std::string> pattern;
  std::string size;
};

int explain_stream_command(const CLI::App& app, Question question, DramOptions& o) {
  for (const char* option : {"--latency", "--transfer", "--bus-bits", "--clock", "--bandwidth"})
    if (app.count(option) != 0)
      return fail(error(fmt::format("{} comes from the device file with --device", option), "leave out one of them"),
                  kFailed);
  if (app.count("--banks") != 0) o.stream.banks = o.timeline.banks;
  if (app.count("--channels") != 0) o.stream.channels = o.timeline.channels;
  if (!o.size.empty()) {
    const Result<uint64_t> bytes = parse_size(o.size);
    if (!bytes) return fail(bytes.problem(), kFailed);
    o.stream.elements = *bytes / std::max(1u, o.stream.bytes);
  }
  const Result<device::DeviceSpec> device = device::load_device(o.common.device);
  if (!device) return fail(device.problem(), kFailed);
  const auto explained = explain::explain_stream(o.stream, *device);
  question.device = *device;
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

void add_dram_options(CLI::App& app, DramOptions& o) {
  app.add_option("--latency", o.timeline.latency, "time until a bank has the data (default: 20)");
  app.add_option("--transfer", o.timeline.transfer, "time of the burst on the bus (default: 1)");
  app.add_option("--row-bursts", o.rows.row_bursts, "draw open and closed rows, each of so many bursts (default: 4)");
  app.add_option("--precharge", o.rows.precharge, "draw rows: time to close one (default: 7)");
  app.add_option("--activate", o.rows.activate, "draw rows: time to open one (default: 7)");
  app.add_option("--read", o.rows.read, "draw rows: time until an open row's data arrive (default: 6)");
  app.add_option("--banks", o.timeline.banks, "banks per channel (default: 1, or the device's)");
  app.add_option("--channels", o.timeline.channels, "channels (default: 1, or the device's)");
  app.add_option("--bus-bits", o.timeline.bus_bits, "width of a channel's bus (default: 64)");
  app.add_option("--clock", o.timeline.clock_ghz, "the bus clock in GHz, two transfers per clock (default: 1)");
  app.add_option("--bandwidth", o.timeline.wanted_gbs,
                 "bandwidths in GB/s, to see how many channels each needs (default: 32 128 256)");
  app.add_option("--pattern", o.pattern, "sequential, stride N (bursts; elements with --device) or random")
      ->type_name("PATTERN")
      ->expected(1, 2);
  app.add_option("--bytes", o.stream.bytes, "with --device: bytes of an element (default: 4)");
  app.add_option("--size", o.size, "with --device: bytes to read, such as 64M (default: 8M)")->type_name("SIZE");
  add_device_option(app, o.common);
  add_output_options(app, o.common);
}

constexpr const char* kRowOptions[] = {"--row-bursts", "--precharge", "--activate", "--read"};
bool draws_rows(const CLI::App& app) {
  return std::ranges::any_of(kRowOptions, [&](const char* option) { return app.count(option) != 0; });
}

int explain_rows_command(const CLI::App& app, const Question& question, DramOptions& o) {
  for (const char* option : {"--latency", "--bus-bits", "--clock", "--bandwidth", "--device"})
    if (app.count(option) != 0)
      return fail(error(fmt::format("{} has no meaning where rows are drawn", option),
                        "--precharge, --activate, --read and --transfer are their times"),
                  kFailed);
  if (app.count("--banks") != 0) o.rows.banks = o.timeline.banks;
  o.rows.channels = o.timeline.channels, o.rows.transfer = o.timeline.transfer, o.rows.pattern = o.timeline.pattern;
  const auto explained = explain::explain_rows(o.rows);
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

int explain_dram(CLI::App& app, DramOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o.common); !status) return fail(status.problem(), kFailed);
  if (!o.pattern.empty()) {
    const auto pattern = explain::parse_stream_pattern(fmt::format("{}", fmt::join(o.pattern, " ")));
    if (!pattern) return fail(pattern.problem(), kFailed);
    o.timeline.pattern = o.stream.pattern = *pattern;
  }
  const Question question = question_of(app, words);
  if (draws_rows(app)) return explain_rows_command(app, question, o);
  if (!o.common.device.empty()) return explain_stream_command(app, question, o);
  if (app.count("--size") != 0 || app.count("--bytes") != 0)
    return fail(error("--size and --bytes are of a device's stream", "name the device: --device h200"), kFailed);
  if (o.timeline.wanted_gbs.empty()) o.timeline.wanted_gbs = {32, 128, 256};
  const auto explained = explain::explain_timeline(o.timeline);
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

struct CachesOptions {
  ExplainOptions common;
  explain::CacheQuery query;
  std::vector<std::string> pattern;
  std::string size;
};

void add_caches_options(CLI::App& app, CachesOptions& o) {
  app.add_option("--size", o.size, "bytes of the working set, as 1M (default: 64K)")->type_name("SIZE");
  app.add_option("--passes", o.query.passes, "how often it is read (default: 3)");
  app.add_option("--pattern", o.pattern, "sequential, stride N (elements) or random")
      ->type_name("PATTERN")
      ->expected(1, 2);
  app.add_option("--bytes", o.query.bytes, "bytes of an element (default: 4)");
  app.add_option("--sms", o.query.multiprocessors, "multiprocessors that share the reads (default: 1)");
  add_device_option(app, o.common);
  add_output_options(app, o.common);
}

int explain_caches(CLI::App& app, CachesOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o.common); !status) return fail(status.problem(), kFailed);
  if (!o.pattern.empty()) {
    const auto parsed = explain::parse_stream_pattern(fmt::format("{}", fmt::join(o.pattern, " ")));
    if (!parsed) return fail(parsed.problem(), kFailed);
    o.query.pattern = *parsed;
  }
  if (!o.size.empty()) {
    const Result<uint64_t> bytes = parse_size(o.size);
    if (!bytes) return fail(bytes.problem(), kFailed);
    o.query.size = *bytes;
  }
  const Result<device::DeviceSpec> device = device::load_device(o.common.device);
  if (!device) return fail(device.problem(), kFailed);
  const auto explained = explain::explain_caches(o.query, *device);
  Question question = question_of(app, words);
  question.device = *device;
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

}  // namespace

Command explain_dram_command() {
  return make_command<DramOptions>(
      {"explain dram",
       "drywarp explain dram --latency L --transfer T [--banks N] [--channels N]\n"
       "drywarp explain dram --row-bursts N [options]\n"
       "drywarp explain dram --device DEVICE [--pattern PATTERN] [options]\n\n"
       "Without --device: banks and channels over time, in any unit of time; with --row-bursts also "
       "their rows as they are opened and closed. With --device: row hits, balance and bandwidth "
       "of a stream of accesses on that device.",
       "Examples:\n"
       "  drywarp explain dram --latency 20 --transfer 1 --banks 2\n"
       "  drywarp explain dram --latency 20 --transfer 1 --banks 21 --channels 2\n"
       "  drywarp explain dram --banks 4 --channels 4 --pattern stride 4  # one channel\n"
       "  drywarp explain dram --row-bursts 4 --pattern random  # bank conflicts\n"
       "  drywarp explain dram --device h200 --pattern random\n"
       "  drywarp explain dram --device h200 --pattern stride 32 --format json"},
      add_dram_options, explain_dram);
}

Command explain_caches_command() {
  return make_command<CachesOptions>({"explain caches",
                                      "drywarp explain caches [options]\n\n"
                                      "The levels of a device's memory with their sizes and latencies, and the hit "
                                      "rates of a working set that is read "
                                      "several times.",
                                      "Examples:\n"
                                      "  drywarp explain caches --size 128K\n"
                                      "  drywarp explain caches --size 1M --passes 2\n"
                                      "  drywarp explain caches --size 256K --pattern stride 32 --sms 4\n"
                                      "  drywarp explain caches --device gtx480 --format json"},
                                     add_caches_options, explain_caches);
}

}  // namespace drywarp::cli
