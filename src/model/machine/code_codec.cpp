#include "model/machine/code_codec.h"

#include "base/support/coder.h"

namespace drywarp::machine {
namespace {

using coding::all;
using coding::list;

// Structured bindings name every member, so a member that is missing here does not compile.

template <class Coder, class Range>
void range(Coder& coder, Range& r) {
  auto& [file, first, count] = r;
  all(coder, file, first, count);
}

template <class Coder, class Ranges>
void operands(Coder& coder, Ranges& ranges) {
  if constexpr (Coder::reads) {
    ranges.clear();
    const size_t count = coder.count();
    for (size_t i = 0; i < count && !coder.failed(); ++i) {
      RegisterRange operand;
      range(coder, operand);
      ranges.set(i, operand);
    }
  } else {
    coder.number(ranges.size());
    for (auto& operand : ranges) range(coder, operand);
  }
}

template <class Coder, class Instruction>
void instruction_fields(Coder& coder, Instruction& instruction) {
  auto& [op, destination, source, guard, guard_negated, space, bytes, spill, frame_word, frame_step, past_l1, constant,
         one_lane, ahead, acts_in, atomic, fence, system, repeats_swap, rare_path, reconverges, columns,
         factor_in_memory, ends_group, pending, for_copies, until_read, ptx, step, access, merged_access, merged_step,
         line, file] = instruction;
  operands(coder, destination);
  operands(coder, source);
  range(coder, guard);
  for (auto& other : merged_access) coding::field(coder, other);
  for (auto& other : merged_step) coding::field(coder, other);
  all(coder, op, guard_negated, space, bytes, spill, frame_word, frame_step, past_l1, constant, one_lane, ahead,
      acts_in, atomic, fence, system, repeats_swap, rare_path, reconverges, columns, factor_in_memory, ends_group,
      pending, for_copies, until_read, ptx, step, access, line, file);
}

template <class Coder, class Block>
void block_fields(Coder& coder, Block& machine_block) {
  auto& [path, instructions] = machine_block;
  list(coder, path, [](auto& k, auto& step) {
    auto& [block, optional] = step;
    all(k, block, optional);
  });
  list(coder, instructions, [](auto& k, auto& instruction) { instruction_fields(k, instruction); });
}

template <class Coder, class Kernel>
void kernel_fields(Coder& coder, Kernel& kernel, bool with_texts) {
  auto& [name, compute_capability, registers, at_bounds, spill_store_bytes, spill_load_bytes, spill_frame_bytes,
         barriers, predicates, code_bytes, blocks, texts] = kernel;
  all(coder, name, compute_capability, registers, at_bounds, spill_store_bytes, spill_load_bytes, spill_frame_bytes,
      barriers, predicates, code_bytes);
  list(coder, blocks, [](auto& k, auto& block) { block_fields(k, block); });
  if (with_texts) list(coder, texts, [](auto& k, auto& text) { all(k, text); });
}

}  // namespace

std::string encode(const MachineKernel& kernel) {
  coding::Encoder coder;
  kernel_fields(coder, kernel, true);
  return std::move(coder.bytes);
}

std::optional<MachineKernel> decode_machine_code(std::string_view bytes) {
  coding::Decoder coder(bytes);
  MachineKernel kernel;
  kernel_fields(coder, kernel, true);
  return coder.status() ? std::optional(std::move(kernel)) : std::nullopt;
}

void add(Digester& digester, const MachineKernel& kernel) {
  coding::Encoder coder;
  kernel_fields(coder, kernel, false);  // the texts follow from the rest
  digester.add(coder.bytes);
}

}  // namespace drywarp::machine
