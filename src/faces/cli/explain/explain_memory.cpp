// `drywarp explain access` and `banks`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "faces/cli/explain/explain.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"

namespace drywarp::cli {
namespace {

struct MemoryOptions {
  ExplainOptions common;
  explain::PatternText pattern;
  uint64_t in_block = 0;
  uint32_t warp = 0;
};

void add_memory_options(CLI::App& app, MemoryOptions& o) {
  app.add_option("--index,index", o.pattern.index,
                 "the element that a thread accesses: \"a[2 * threadIdx.x + 1]\", \"tid * 33\"; --index is optional")
      ->type_name("EXPRESSION");
  app.add_option("--stride", o.pattern.stride, "without --index: elements between neighbouring threads (default: 1)");
  app.add_option("--offset", o.pattern.offset, "without --index: element of thread 0 (default: 0)");
  app.add_option("--bytes", o.pattern.bytes, "bytes of an element: 1, 2, 4, 8 or 16 (default: 4)");
  app.add_option("--base", o.pattern.base, "byte address of the array (default: 0)");
  app.add_option("--array", o.pattern.extents, "the array's dimensions, for several subscripts: 32x33")
      ->type_name("EXTENTS");
  app.add_option("--if", o.pattern.condition, "only threads for which this is true")->type_name("EXPRESSION");
  add_name_options(app, o.common);
  add_launch_options(app, o.common);
  app.add_option("--warp", o.warp, "the warp to draw (default: 0)");
  app.add_option("--in-block", o.in_block, "the number of its block (default: 0)");
  add_device_option(app, o.common);
  add_output_options(app, o.common);
}

struct Prepared {
  explain::Pattern pattern;
  device::DeviceSpec device;
};

Result<Prepared> prepare(const CLI::App& app, MemoryOptions& o) {
  if (Status status = check_format(o.common); !status) return status.problem();
  if (!o.pattern.index.empty() && (app.count("--stride") != 0 || app.count("--offset") != 0))
    return error("--index excludes --stride and --offset", "put them into the expression");
  const Result<explain::LaunchConfiguration> launch = launch_of(o.common);
  if (!launch) return launch.problem();
  o.pattern.launch = *launch;
  o.pattern.definitions = o.common.definitions;
  Result<explain::Pattern> pattern = explain::parse_pattern(o.pattern);
  if (!pattern) return pattern.problem();
  Result<device::DeviceSpec> device = device::load_device(o.common.device);
  if (!device) return device.problem();
  return Prepared{std::move(*pattern), std::move(*device)};
}

Question question_for(const CLI::App& app, const Words& words, const Prepared& prepared) {
  Question question = question_of(app, words);
  set_launch(question, prepared.pattern.launch);
  question.device = prepared.device;
  return question;
}

int explain_access(CLI::App& app, MemoryOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const Result<Prepared> prepared = prepare(app, o);
  if (!prepared) return fail(prepared.problem(), kFailed);
  const auto explained = explain::explain_access(prepared->pattern, prepared->device, o.in_block, o.warp);
  return explained ? print(*explained, question_for(app, words, *prepared), o.common)
                   : fail(explained.problem(), kFailed);
}

struct BanksOptions : MemoryOptions {
  std::string op = "load";
  bool eight_bytes = false;
};

void add_banks_options(CLI::App& app, BanksOptions& o) {
  add_memory_options(app, o);
  app.add_option("--op", o.op, "the operation; copy is cp.async")
      ->type_name("load|store|atomic|cas|copy")
      ->capture_default_str();
  app.add_flag("--eight-byte-banks", o.eight_bytes,
               "banks of 8 bytes (cudaSharedMemBankSizeEightByte), on devices that have them");
}

int explain_banks(CLI::App& app, BanksOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const Result<SharedOp> op = explain::parse_shared_op(o.op);
  if (!op) return fail(op.problem(), kFailed);
  const Result<Prepared> prepared = prepare(app, o);
  if (!prepared) return fail(prepared.problem(), kFailed);
  const auto explained =
      explain::explain_banks(prepared->pattern, *op, prepared->device, o.in_block, o.warp, o.eight_bytes);
  return explained ? print(*explained, question_for(app, words, *prepared), o.common)
                   : fail(explained.problem(), kFailed);
}

}  // namespace

Command explain_access_command() {
  Command numbers = make_command<MemoryOptions>(
      {"explain access",
       "drywarp explain access [[--index] EXPRESSION] [options]\n"
       "drywarp explain access app.cu:LINE [-- arguments]\n\n"
       "Which sectors and lines of global memory a warp touches: coalesced or not, sectors a request, efficiency. "
       "With a source line, runs the program and explains its accesses there; `drywarp explain access app.cu:LINE "
       "--help` lists the options.",
       names_text() + "\nExamples:\n"
                      "  drywarp explain access --stride 2 --bytes 4 --offset 1\n"
                      "  drywarp explain access --base 132              # shifted by a word: two lines\n"
                      "  drywarp explain access \"M[Row*Width+k]\" --let Width=64 --let k=0 --block 16x16\n"
                      "  drywarp explain access \"M[(by*32 + ty)*64 + bx*32 + tx]\" --block 32x8 --grid 2\n"
                      "  drywarp explain access --index \"a[tid * 1024]\" --format json"},
      add_memory_options, explain_access);
  return or_source(std::move(numbers), "access");
}

Command explain_banks_command() {
  return or_source(
      make_command<BanksOptions>(
          {"explain banks",
           "drywarp explain banks [[--index] EXPRESSION] [options]\n"
           "drywarp explain banks app.cu:LINE [-- arguments]\n\n"
           "Which lanes of a warp conflict in which banks of shared memory, how many wavefronts that takes, which "
           "padding "
           "helps. With a source line, runs the program and explains its shared accesses there; `drywarp explain banks "
           "app.cu:LINE --help` lists the options.",
           names_text() + "\nExamples:\n"
                          "  drywarp explain banks --stride 2\n"
                          "  drywarp explain banks \"tile[tx][ty]\" --array 32x32 --block 32x8\n"
                          "  drywarp explain banks --stride 1 --bytes 16 --op store\n"
                          "  drywarp explain banks --index \"s[0]\"        # one word for all: a broadcast"},
          add_banks_options, explain_banks),
      "banks");
}

}  // namespace drywarp::cli
