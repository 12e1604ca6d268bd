// `drywarp explain TOPIC`: finds the topic; each has its own file.
#include <fmt/format.h>

#include "faces/cli/explain/explain_options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"

namespace drywarp::cli {
namespace {

struct Topic {
  const char* name;
  const char* example;
  const char* caption;
  int (*run)(const Words&);
};

constexpr Topic kTopics[] = {
    {"access", "access --index \"a[2 * tid]\"", "global memory: sectors and lines of a warp, coalesced or not",
     explain_access_command},
    {"banks", "banks --index \"s[tx][ty]\" --array 32x32", "shared memory: banks, conflicts, the padding that helps",
     explain_banks_command},
    {"warps", "warps --block 16x6", "which threads of a block form which warp", explain_warps_command},
    {"divergence", "divergence \"tid % 2\"", "which warps a branch splits, in how many passes",
     explain_divergence_command},
    {"caches", "caches --device h200 --size 1M", "the levels of memory, and what a working set hits in them",
     explain_caches_command},
    {"dram", "dram --latency 20 --transfer 1 --banks 2", "DRAM: banks and channels over time, rows, bandwidth",
     explain_dram_command},
};

std::string explain_overview() {
  std::string text =
      "drywarp explain TOPIC [options]\n\nDraws how the machine works, computed by what profiles kernels.\n\n";
  for (const Topic& topic : kTopics) text += fmt::format("  {:<11} {}\n", topic.name, topic.caption);
  text += "\nFor example:\n";
  for (const Topic& topic : kTopics) text += fmt::format("  drywarp explain {}\n", topic.example);
  return text + "\n`drywarp explain TOPIC --help` lists the options of one.\n";
}

}  // namespace

int explain_command(const Words& words) {
  if (words.empty()) return say(explain_overview()), kFailed;
  if (words[0] == "--help" || words[0] == "-h") return print_text(explain_overview());
  for (const Topic& topic : kTopics)
    if (words[0] == topic.name) return topic.run({words.begin() + 1, words.end()});
  return fail(error(fmt::format("there is nothing to explain called '{}'", words[0]),
                    "access, banks, warps, divergence, caches or dram"),
              kFailed);
}

}  // namespace drywarp::cli
