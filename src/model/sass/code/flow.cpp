#include "model/sass/code/flow.h"

#include <algorithm>
#include <string_view>

#include "language/analysis/dominance.h"
#include "language/analysis/passes.h"
#include "language/analysis/shapes.h"

namespace drywarp::sass {
namespace {

// Post-dominators of a program from which the edges to blocks that only end it are left out. Its end is the last node.
std::vector<uint32_t> post_dominators(const ir::Function& f) {
  const auto count = static_cast<uint32_t>(f.blocks.size());
  const auto ends = [&](uint32_t b) {
    if (b == ir::kExit) return true;
    const ir::Block& block = f.blocks[b];
    return block.end == block.first + 1 && f.instructions[block.first].op == ir::Opcode::Ret;
  };
  analysis::Edges before(count + 1);
  for (uint32_t b = 0; b < count; ++b) {
    bool goes_on = false;
    for (const uint32_t next : f.blocks[b].successors)
      if (!ends(next)) before[next].push_back(b), goes_on = true;
    if (!goes_on) before[count].push_back(b);
  }
  return analysis::immediate_dominators(before, count);
}

void find_conditions(const ir::Function& f, Flow& flow) {
  const std::vector<uint32_t> behind = post_dominators(f);
  flow.unconditional.resize(f.blocks.size()), flow.passed_by.resize(f.blocks.size());
  for (const uint32_t b : flow.control.order) {
    const uint32_t above = flow.dominator[b];
    // No block is known to follow where the program ends in a loop.
    flow.unconditional[b] = behind[0] != ir::kNone && analysis::dominates(behind, b, 0);
    const bool follows = behind[above] == ir::kNone || analysis::dominates(behind, b, above);
    flow.passed_by[b] = b != above && (flow.passed_by[above] || (flow.divergent[above] && !follows));
  }
}

}  // namespace

bool Flow::dominates(uint32_t a, uint32_t b) const { return analysis::dominates(dominator, a, b); }

bool Flow::in_loop(uint32_t block, uint32_t header) const {
  return std::ranges::find(loops[block], header) != loops[block].end();
}

bool Flow::only_from(uint32_t block, std::initializer_list<uint32_t> from) const {
  const auto& predecessors = control.predecessors[block];
  return block != 0 && predecessors.size() == from.size() && std::ranges::all_of(predecessors, [&](uint32_t p) {
           return std::find(from.begin(), from.end(), p) != from.end();
         });
}

Flow find_flow(const ir::Function& f) {
  Flow flow;
  flow.control = analysis::control_flow(f);
  const size_t count = f.blocks.size();
  flow.dominator = analysis::immediate_dominators(f, flow.control);
  flow.loops.resize(count);
  // Natural loops, outer ones first: headers in reverse postorder.
  for (uint32_t header : flow.control.order) {
    std::vector<uint32_t> work;
    std::vector<bool> inside(count, false);
    for (uint32_t p : flow.control.predecessors[header])
      if (flow.dominates(header, p)) work.push_back(p);
    if (work.empty()) continue;
    inside[header] = true;
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      if (inside[b]) continue;
      inside[b] = true;
      for (uint32_t p : flow.control.predecessors[b]) work.push_back(p);
    }
    for (uint32_t b = 0; b < count; ++b)
      if (inside[b]) flow.loops[b].push_back(header);
  }
  // A compiler does not know the block's dimensions: assume some that are not aligned to warps.
  const analysis::Liveness live = analysis::liveness(f, flow.control);
  analysis::Shapes shapes = analysis::shapes(f, flow.control, live, {37, 5, 3});
  flow.divergent = std::move(shapes.divergent);
  for (const analysis::Shape& shape : shapes.registers) flow.uniform.push_back(shape.is_uniform());
  find_conditions(f, flow);
  return flow;
}

bool forbids_unrolling(const ir::Function& f, uint32_t block) {
  if (!f.source) return false;
  for (uint32_t i = f.blocks[block].first; i < f.blocks[block].end; ++i) {
    const ir::Instruction& in = f.instructions[i];
    if (in.text_length == 0) continue;
    constexpr uint32_t kReach = 400;
    const uint32_t from = in.text_begin > kReach ? in.text_begin - kReach : 0;
    const std::string_view before = std::string_view(*f.source).substr(from, in.text_begin - from);
    const size_t pragma = before.rfind(".pragma \"nounroll\"");
    if (pragma == std::string_view::npos) return false;
    // Only the pragma, .loc lines and labels of debug information may stand between the label and the instruction.
    const std::string_view between = before.substr(pragma);
    size_t at = between.find(';');
    while (at != std::string_view::npos && at + 1 < between.size()) {
      at = between.find_first_not_of(" \t\r\n", at + 1);
      if (at == std::string_view::npos) return true;
      if (between.compare(at, 4, ".loc") == 0 || between.compare(at, 2, "//") == 0 || between[at] == '$') {
        at = between.find('\n', at);
        continue;
      }
      return between[at] == '@';
    }
    return true;
  }
  return false;
}

}  // namespace drywarp::sass
