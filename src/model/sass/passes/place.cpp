#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint64_t kDescriptor = 0x208;  // of global memory, in bank 0 (sm_90)
constexpr uint64_t kStack = 0x28;

// Whether an instruction gives all lanes the same if its operands do.
bool keeps_uniform(const Instruction& c) {
  using R = ir::SpecialRegister;
  if (c.op == S2r && c.form.window == AddressSpace::None) {
    const R r = c.form.special;
    return r > R::TidZ && r != R::LaneId && (r < R::LanemaskEq || r > R::LanemaskGt);
  }
  if (c.role == Role::Load) return c.op == Ldc;  // ptxas knows of others, too, but not of all
  return c.space == AddressSpace::None && c.role != Role::Effect && c.role != Role::Branch;
}

// The registers that have the same in all lanes that run together.
std::vector<bool> uniform_registers(const Kernel& kernel, const Flow& flow) {
  const auto is_known = [&](Register r) { return r < flow.uniform.size() && flow.uniform[r]; };
  const std::vector<unsigned> writes = count_writes(kernel);
  std::vector<bool> uniform(kernel.registers.size());
  for (Register r = 0; r < uniform.size(); ++r) uniform[r] = is_known(r) || writes[r] == 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const CodeBlock& block : kernel.blocks)
      for (const Instruction& c : block.code) {
        bool same = keeps_uniform(c);
        for_each_source(c, [&](const Source& s) { same = same && uniform[s.reg]; });
        if (same) continue;
        for (const Register d : c.destination)
          if (d != kNone && uniform[d] && kernel.registers[d].file != RegisterFile::Uniform)
            uniform[d] = false, changed = true;
      }
  }
  return uniform;
}

// A slow path that all lanes take or none, for its operands are the same in all of them, needs no convergence barrier.
// (ptxas 13, of 32 generated kernels: whatever computes them. Around the subroutine alone some have one.)
void drop_uniform_barriers(Kernel& kernel, const Flow& flow) {
  const std::vector<bool> same = uniform_registers(kernel, flow);
  for (CodeBlock& block : kernel.blocks) {
    auto& code = block.code;
    for (size_t i = 0; i < code.size(); ++i) {
      if (code[i].op != Bssy || code[i].target != kNone) continue;
      std::set<Register> inside;
      bool uniform = true;
      size_t k = i + 1;
      for (; k < code.size() && !ends_slow_path(code[k]); ++k) {
        const Instruction& c = code[k];
        uniform = uniform && c.space == AddressSpace::None && c.op != Bssy;
        for_each_source(c, [&](const Source& s) {
          const RegisterFile file = kernel.registers[s.reg].file;
          uniform = uniform && (file == RegisterFile::Uniform || file == RegisterFile::UniformPredicate ||
                                same[s.reg] || inside.contains(s.reg));
        });
        inside.insert(c.destination.begin(), c.destination.end());
      }
      if (uniform && k < code.size()) code[i].dead = code[k].dead = true;
    }
    std::erase_if(code, [](const Instruction& c) { return c.dead; });
  }
}

bool only_exits(const Kernel& kernel, uint32_t block) {
  const auto& next = kernel.function->blocks[block].successors;
  if (next.size() != 1 || next[0] != ir::kExit) return false;
  for (const Instruction& c : kernel.blocks[block].code)
    if (c.op != Exit) return false;
  return true;
}

}  // namespace

std::vector<bool> blocks_of_parted_lanes(const Kernel& kernel, const Flow& flow) {
  const ir::Function& f = *kernel.function;
  std::vector<bool> parted(f.blocks.size(), false);
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const uint32_t target = flow.control.reconvergence[b];
    const bool others_exit = target == ir::kExit || only_exits(kernel, target);
    const bool repeats = std::ranges::any_of(
        f.blocks[b].successors, [&](uint32_t next) { return std::ranges::count(flow.loops[b], next) != 0; });
    if (!flow.divergent[b] || (others_exit && !repeats)) continue;
    const std::vector<bool> region = analysis::divergent_region(f, flow.control, b);
    for (uint32_t k = 0; k < region.size(); ++k)
      if (region[k]) parted[k] = true;
  }
  return parted;
}

std::vector<bool> loops_with_divergent_exits(const Kernel& kernel, const Flow& flow) {
  std::vector<bool> divergent(kernel.blocks.size(), false);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (!flow.divergent[b]) continue;
    for (const uint32_t header : flow.loops[b])
      for (const uint32_t next : kernel.function->blocks[b].successors)
        if (next == ir::kExit || !flow.in_loop(next, header)) divergent[header] = true;
  }
  return divergent;
}

void share_special_registers(Kernel& kernel) {
  using Special = std::pair<ir::SpecialRegister, uint8_t>;
  std::map<Special, Register> first;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (Instruction& c : kernel.blocks[b].code) {
      if (c.op != S2r || c.role != Role::Pure || c.guard || c.form.window != AddressSpace::None) continue;
      const Special special{c.form.special, c.form.index};
      if (b == 0) {
        first.try_emplace(special, c.destination[0]);
      } else if (auto it = first.find(special); it != first.end()) {
        c.role = Role::Copy;
        c.op = Mov;
        c.source.set(0, Source::of(it->second));
      }
    }
}

void drop_jumps(Kernel& kernel, const Flow& flow) {
  const auto& blocks = kernel.function->blocks;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    auto& code = kernel.blocks[b].code;
    if (code.empty() || code.back().op != Operation::Bra || code.back().role != Role::Branch || code.back().guard)
      continue;
    if (blocks[b].successors.size() != 1) continue;
    // ptxas 13 puts its blocks so that a branch forward needs none, but for 7 of 5,426 in 40 programs.
    const auto& before = flow.control.predecessors[b];
    const bool behind_branch = code.size() == 1 && before.size() == 1 && blocks[before[0]].successors.size() == 2 &&
                               blocks[before[0]].successors[1] == b;
    const bool inverted = behind_branch && blocks[before[0]].successors[0] > before[0];
    if (blocks[b].successors[0] == b + 1 || inverted) code.pop_back();
  }
}

namespace {

// BSSY, BRA around code for rare cases, BSYNC, EXIT: lanes whose predicate is set exit at once.
void exit_by_predicate(std::vector<Instruction>& code) {
  const size_t n = code.size();
  if (n < 4 || code[n - 1].op != Exit || code[n - 1].guard) return;
  const Instruction &open = code[n - 4], &branch = code[n - 3], &close = code[n - 2];
  const bool around = open.op == Bssy && open.target == kNone && branch.op == Bra && branch.role == Role::Effect &&
                      branch.source[0].is_register() && close.op == Bsync && close.target == kNone;
  if (!around || branch.clobbers != 0) return;
  code[n - 1].guard = branch.source[0];
  code.erase(code.end() - 4, code.end() - 1);
}

}  // namespace

void exit_early(Kernel& kernel) {
  const auto& blocks = kernel.function->blocks;
  if (!kernel.function->is_kernel) return;
  std::vector<bool> exits(blocks.size(), false), behind_loop(blocks.size(), false);
  for (uint32_t b = 1; b < blocks.size(); ++b) {
    const auto& code = kernel.blocks[b].code;
    exits[b] = code.size() == 1 && code[0].op == Exit && !code[0].guard;
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    auto& code = kernel.blocks[b].code;
    if (exits[b]) continue;
    const auto& next = blocks[b].successors;
    const bool branches = !code.empty() && code.back().op == Bra && code.back().role == Role::Branch;
    if (next.size() == 1 && next[0] != ir::kExit && exits[next[0]]) {
      if (branches) code.pop_back();
      Instruction exit;
      exit.op = Exit;
      exit.role = Role::Branch;
      code.push_back(exit);
    } else if (next.size() == 2 && branches && code.back().guard) {
      if (next[0] != ir::kExit && exits[next[0]]) code.back().op = Exit;
      if (next[1] == ir::kExit || !exits[next[1]]) continue;
      if (next[0] <= b) {  // behind a loop: not in its iterations
        behind_loop[next[1]] = true;
      } else {
        Instruction exit;
        exit.op = Exit;
        exit.role = Role::Branch;
        code.push_back(exit);
      }
    }
  }
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (exits[b] && !behind_loop[b]) kernel.blocks[b].code.clear();
  for (CodeBlock& block : kernel.blocks) exit_by_predicate(block.code);
}

namespace {

// The first blocks of loops that what others write ends.
std::set<uint32_t> yielding_loops(const Kernel& kernel, const Flow& flow) {
  const ir::Function& f = *kernel.function;
  const analysis::Liveness live = analysis::liveness(f, flow.control, analysis::word_parts(f));
  const analysis::WaitingLoops waiting = analysis::waiting_loops(*kernel.module, f, flow.control, live);
  std::set<uint32_t> headers;
  for (const auto& [header, blocks] : analysis::racing_loops(*kernel.module, f, flow.control, waiting).yielding)
    headers.insert(header);
  return headers;
}

}  // namespace

void place_barriers(Kernel& kernel, const Flow& flow) {
  if (kernel.compute_capability < 70) return;
  drop_uniform_barriers(kernel, flow);
  const std::set<uint32_t> yielding = yielding_loops(kernel, flow);
  std::set<std::pair<uint32_t, uint32_t>> placed, own;  // where each opens and closes; those that share with no other
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (!flow.divergent[b]) continue;
    const uint32_t target = flow.control.reconvergence[b];
    if (target == ir::kExit || only_exits(kernel, target)) continue;
    if (auto& code = kernel.blocks[b].code; !code.empty() && (code.back().op == Bra || code.back().op == Brx))
      code.back().reconverges = true;
    // A branch out of a loop opens its barrier before the loop.
    uint32_t opens = b;
    for (uint32_t header : flow.loops[b]) {
      const auto& outside = flow.loops[target];
      if (std::find(outside.begin(), outside.end(), header) == outside.end()) {
        opens = flow.dominator[header];
        break;
      }
    }
    placed.insert({opens, target});
    const auto& next = kernel.function->blocks[b].successors;
    if (std::ranges::any_of(next,
                            [&](uint32_t header) { return yielding.contains(header) && flow.in_loop(b, header); }))
      own.insert({opens, target});
  }
  for (const auto& [opens, target] : placed) {
    // Nested branches with the same reconvergence point share the outermost's barrier: a switch has one. A loop with a
    // YIELD at whose end lanes leave it has its own (ptxas 13: 10 of 10).
    const bool is_open =
        !own.contains({opens, target}) && std::ranges::any_of(placed, [&, at = opens, to = target](const auto& outer) {
          return outer.second == to && outer.first != at && flow.dominates(outer.first, at) &&
                 flow.loops[outer.first] == flow.loops[at];
        });
    if (is_open) continue;
    Instruction open, close;
    open.op = Bssy;
    close.op = Bsync;
    open.role = close.role = Role::Effect;
    open.target = close.target = target;
    auto& code = kernel.blocks[opens].code;
    const auto at = before_branches(code);
    code.insert(at, open);
    auto& reconverged = kernel.blocks[target].code;
    reconverged.insert(reconverged.begin(), close);
  }
  for (const uint32_t header : yielding) {
    Instruction yield;
    yield.op = Yield;
    yield.role = Role::Effect;
    auto& code = kernel.blocks[header].code;
    code.insert(code.begin(), yield);
  }
}

void place_prologue(Kernel& kernel) {
  bool global = false;
  for (const CodeBlock& b : kernel.blocks)
    for (const Instruction& c : b.code) global |= c.space == AddressSpace::Global || c.space == AddressSpace::Generic;
  std::vector<Instruction> prologue;
  Instruction stack;
  stack.op = kernel.compute_capability >= 90 ? Ldc : Mov;
  stack.role = Role::Effect;
  stack.source.set(0, Source::constant(kStack, 1));
  prologue.push_back(stack);
  if (global && kernel.compute_capability >= 80) {
    Instruction descriptor;
    descriptor.op = Uldc;
    descriptor.role = Role::Effect;
    descriptor.source.set(0, Source::constant(kDescriptor, 2));
    prologue.push_back(descriptor);
  }
  if (kernel.blocks.empty() || !kernel.function->is_kernel) return;
  auto& first = kernel.blocks[0].code;
  first.insert(first.begin(), prologue.begin(), prologue.end());
}

}  // namespace drywarp::sass
