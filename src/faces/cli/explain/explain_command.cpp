// `drywarp explain TOPIC`: finds the topic and runs it.
#include <fmt/format.h>

#include "faces/cli/explain/explain_options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/page_writers.h"

namespace drywarp::cli {
namespace {

constexpr Subcommand kTopics[] = {
    {"access", "access --index \"a[2 * tid]\"", "global memory: sectors and lines of a warp, coalesced or not",
     explain_access_command},
    {"banks", "banks --index \"s[tx][ty]\" --array 32x32", "shared memory: banks, conflicts, the padding that helps",
     explain_banks_command},
    {"warps", "warps --block 16x6", "which threads of a block form which warp", explain_warps_command},
    {"divergence", "divergence \"tid % 2\"", "which warps diverge at a branch, and in how many passes",
     explain_divergence_command},
    {"caches", "caches --device h200 --size 1M", "the levels of memory, and the hit rates of a working set in them",
     explain_caches_command},
    {"dram", "dram --latency 20 --transfer 1 --banks 2", "DRAM: banks and channels over time, rows, bandwidth",
     explain_dram_command},
};

int run_explain(const Words& words) {
  if (words.empty()) return say(help_text(explain_page())), kFailed;
  if (words[0] == "--help" || words[0] == "-h") return print_text(help_text(explain_page()));
  for (const Subcommand& topic : kTopics)
    if (words[0] == topic.name) return topic.make().run({words.begin() + 1, words.end()});
  return fail(
      error(fmt::format("there is no topic '{}'", words[0]), "access, banks, warps, divergence, caches or dram"),
      kFailed);
}

}  // namespace

std::span<const Subcommand> explain_topics() { return kTopics; }

Command explain_command() { return {nullptr, run_explain}; }

}  // namespace drywarp::cli
