// Arrays of a thread that are in local memory, since their indices are not known to the compiler.
#include <fmt/format.h>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kLocalSectors = 10;  // percent of the sectors of global and local memory

}  // namespace

std::optional<Finding> local_arrays(const Facts& facts) {
  double local = 0, all = 0;
  for (const char* op : {"ld", "st"})
    for (const char* memory : {"local", "global"}) {
      const auto sectors = facts.metric(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum", memory, op));
      if (!sectors) continue;
      all += *sectors;
      if (memory[0] == 'l') local += *sectors;
    }
  if (local == 0 || 100 * local < kLocalSectors * all) return std::nullopt;
  Finding finding;
  finding.headline = "keep the arrays of a thread in registers";
  finding.observation =
      fmt::format("{:.0f} % of the sectors of global and local memory are local memory's", 100 * local / all);
  finding.cure =
      "Index the array by constants: unroll the loops over it, so that each element has a register. Larger arrays "
      "belong "
      "in shared memory, an element a thread.";
  finding.sketch = {"#pragma unroll"};
  finding.lines = evidence_lines(facts, access_sites(facts, Memory::Local));
  add_evidence(finding, facts, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector");
  add_evidence(finding, facts, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector");
  return finding;
}

}  // namespace drywarp::advice
