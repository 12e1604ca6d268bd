// Registers with several definitions: loop counters, and how far they can count.
#include <algorithm>

#include "language/analysis/address_forms.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Compare;
using ir::Opcode;
using ir::Operand;

// Stands for the unknown allocation of the register that is being evaluated.
constexpr uint64_t kSameAllocation = 2;

}  // namespace

void AddressForms::discard_forms_with(uint32_t variable) {
  for (size_t r = 0; r < forms_.size(); ++r)
    if (states_[r] == State::Done && (forms_[r].factor_of(variable) != 0 || forms_[r].allocation == kSameAllocation))
      states_[r] = State::New;
}

// A register with several definitions: the same value in all of them, or a loop counter.
LinearForm AddressForms::joined(ir::RegisterId r) {
  // Registers in evaluation may lie on the loop: evaluate them anew from this register, so that the result does not
  // depend on the order of queries.
  begun_.pop_back();  // it has a form during its evaluation
  for (const ir::RegisterId b : begun_) states_[b] = State::New;
  LinearForm result = counted(r);
  for (const ir::RegisterId b : begun_) states_[b] = State::Begun;
  begun_.push_back(r);
  return result;
}

LinearForm AddressForms::counted(ir::RegisterId r) {
  const uint32_t itself = add_variable(LaunchVariable::Kind::Loop, {-kUnbounded, kUnbounded});
  forms_[r] = LinearForm::number(0);
  forms_[r].terms.push_back({itself, 1});
  forms_[r].allocation = kSameAllocation;
  states_[r] = State::Done;
  LinearForm first;
  bool any = false, same = true, counts = true;
  int64_t step = 0;
  std::vector<uint32_t> counting, firsts;
  uint64_t allocation = 0;
  const bool wide = ir::bits(code_.registers[r].type) == 64;
  for (const uint32_t i : definitions_[r]) {
    LinearForm form = evaluate(code_.instructions[i], r);
    if (form.allocation == kSameAllocation && form.factor_of(itself) == 0) {
      counts = false;  // anywhere in its allocation
    } else if (form.factor_of(itself) != 0) {
      counts = counts && form.terms.size() == 1 && form.terms[0].factor == 1 && (form.allocation != 0 || !wide);
      if (form.constant == 0) continue;
      counts = counts && (step == 0 || step == form.constant);
      step = form.constant;
      counting.push_back(i);
    } else {
      same =
          same && (!any || (form.known == first.known && form.constant == first.constant && form.terms == first.terms));
      if (any && form.allocation != allocation) allocation = 0, same = false;
      if (!any) allocation = form.allocation, first = form;
      any = true;
      firsts.push_back(i);
    }
  }
  LinearForm result = LinearForm::unknown(any ? allocation : 0);
  if (any && same && counts && first.known) {
    result = first;
    if (step != 0) {
      int64_t iterations = 0;
      for (const uint32_t i : counting)
        iterations = std::max(iterations, max_iterations(r, i, firsts, itself, first, step));
      discard_forms_with(itself);
      result.terms.push_back({add_variable(LaunchVariable::Kind::Loop, {0, iterations}), step});
      return result;
    }
  }
  discard_forms_with(itself);
  return result;
}

// The loop whose latch follows the instruction, if the register is reset (by the only one of `firsts`) whenever the
// loop starts.
std::optional<AddressForms::CountedLoop> AddressForms::loop_of(uint32_t instruction,
                                                               const std::vector<uint32_t>& firsts) const {
  const auto only_successor = [&](ir::BlockId b) {
    const auto& next = code_.blocks[b].successors;
    return next.size() == 1 && next[0] != ir::kExit && !flow_.loop_header[next[0]] ? next[0] : ir::kNone;
  };
  constexpr int kMostJumps = 16;
  CountedLoop loop;
  loop.latch = block_of_[instruction];
  for (int jumps = 0; jumps < kMostJumps && only_successor(loop.latch) != ir::kNone; ++jumps) {
    loop.latch = only_successor(loop.latch);
    loop.behind.push_back(loop.latch);
  }
  const ir::Block& latch = code_.blocks[loop.latch];
  if (latch.successors.size() != 2 || latch.first == latch.end || firsts.size() != 1) return std::nullopt;
  const ir::Instruction& branch = code_.instructions[latch.end - 1];
  if (branch.op != Opcode::Bra || !branch.guard) return std::nullopt;
  // The innermost loop around the latch.
  ir::BlockId header = loop.latch;
  while (!flow_.loop_header[header] && dominators_[header] != header) header = dominators_[header];
  const auto leads_to_header = [&](ir::BlockId s) {
    for (int jumps = 0; jumps < kMostJumps && s != ir::kExit && s != header && only_successor(s) != ir::kNone; ++jumps)
      s = only_successor(s);
    return s == header ||
           (s != ir::kExit && code_.blocks[s].successors.size() == 1 && code_.blocks[s].successors[0] == header);
  };
  const bool taken = leads_to_header(latch.successors[0]);
  if (!flow_.loop_header[header] || taken == leads_to_header(latch.successors[1])) return std::nullopt;
  // No other edge leads back to the header, past the condition.
  const auto dominated = [&](ir::BlockId b) {
    while (b != header && dominators_[b] != b) b = dominators_[b];
    return b == header;
  };
  const auto& before = flow_.predecessors[header];
  if (std::count_if(before.begin(), before.end(), dominated) != 1) return std::nullopt;
  loop.header = header;
  for (ir::BlockId b = header; b != block_of_[firsts[0]];) {
    if (dominators_[b] == b) return std::nullopt;
    b = dominators_[b];
    if (flow_.loop_header[b] && b != block_of_[firsts[0]]) return std::nullopt;
  }
  conditions(branch.guard.reg, taken != branch.guard.negate, loop.repeats_while);
  return loop;
}

std::vector<uint32_t> AddressForms::uses_afterwards(ir::RegisterId r, uint32_t instruction,
                                                    const CountedLoop& loop) const {
  std::vector<bool> inside(code_.blocks.size(), false);
  std::vector<ir::BlockId> work = {loop.latch};
  inside[loop.header] = true;
  while (!work.empty()) {
    const ir::BlockId b = work.back();
    work.pop_back();
    if (inside[b]) continue;
    inside[b] = true;
    for (const ir::BlockId p : flow_.predecessors[b]) work.push_back(p);
  }
  for (const ir::BlockId b : loop.behind) inside[b] = b == loop.header;
  std::vector<uint32_t> uses;
  for (const ir::BlockId b : flow_.order) {
    for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
      const bool before = inside[b] && (b != block_of_[instruction] || i < instruction);
      if (before || i == instruction) continue;
      bool reads = false;
      for_each_use(code_.instructions[i], [&](ir::RegisterId used) { reads |= used == r; });
      if (reads) uses.push_back(i);
    }
  }
  return uses;
}

// How often a loop can have added `step` to the register where it is read; unbounded without a condition that is
// understood.
int64_t AddressForms::max_iterations(ir::RegisterId r, uint32_t instruction, const std::vector<uint32_t>& firsts,
                                     uint32_t iterations, const LinearForm& first, int64_t step) {
  const std::optional<CountedLoop> loop = loop_of(instruction, firsts);
  if (!loop) return kUnbounded;
  int64_t most = kUnbounded;
  for (const Comparison& c : loop->repeats_while) {
    for (const bool swapped : {false, true}) {
      const Operand& counter = swapped ? c.b : c.a;
      const LinearForm counted = of(counter, c.type), limit = of(swapped ? c.a : c.b, c.type);
      if (!counted.known || !limit.known || counted.terms.size() != 1 || counted.factor_of(iterations) != 1 ||
          limit.factor_of(iterations) != 0)
        continue;
      // The loop repeats while first + step * iterations + counted.constant has not passed the limit.
      const LinearForm way = combined(combined(limit, first.scaled(-1)), LinearForm::number(-counted.constant));
      const Range range = range_of(way, variables_);
      const bool below_zero = std::min(range_of(limit, variables_).low, range_of(first, variables_).low) < 0;
      if (below_zero && !ir::is_signed(c.type)) continue;
      // The comparison is of the next iteration's value, or of this one's.
      const ir::BlockId at = block_of_[c.instruction];
      const bool next = counter.kind == Operand::Kind::Register && counter.id == r &&
                        (at == block_of_[instruction]
                             ? c.instruction > instruction
                             : std::find(loop->behind.begin(), loop->behind.end(), at) != loop->behind.end());
      Compare compare = c.compare;
      if (swapped) {
        compare = compare == Compare::Lt   ? Compare::Gt
                  : compare == Compare::Le ? Compare::Ge
                  : compare == Compare::Gt ? Compare::Lt
                  : compare == Compare::Ge ? Compare::Le
                                           : compare;
      }
      int64_t far = kUnbounded;  // how far it can have counted when the loop repeats
      if (step > 0 && (compare == Compare::Lt || compare == Compare::Lo)) far = saturated_add(range.high, -1);
      if (step > 0 && (compare == Compare::Le || compare == Compare::Ls)) far = range.high;
      if (step < 0 && compare == Compare::Gt) far = saturated_add(-range.low, -1);
      if (step < 0 && compare == Compare::Ge) far = -range.low;
      if (compare == Compare::Ne && range.low == range.high && range.low % step == 0 &&
          range.low / step >= (next ? 1 : 0))
        far = std::abs(range.low) - 1;
      if (far >= kUnbounded || far <= -kUnbounded) continue;
      most = std::min(most, far < 0 ? 0 : far / std::abs(step) + (next ? 0 : 1));
    }
  }
  const std::vector<uint32_t> afterwards = uses_afterwards(r, instruction, *loop);
  const bool of_an_address = std::any_of(afterwards.begin(), afterwards.end(), [&](uint32_t use) {
    return code_.instructions[use].op != Opcode::Setp;  // comparisons make no addresses
  });
  return of_an_address ? saturated_add(most, 1) : most;
}

}  // namespace drywarp::analysis
