// Copies of many bytes by one thread (cp.async.bulk, cp.reduce.async.bulk, tensors, st.bulk): which operand is what.
//
// Operands of these instructions are all in Instruction::src, in the order of the text: an address, too, and its
// coordinates behind it. They name memory as the program does: an offset in the block's shared memory, or an address.
#pragma once

#include <optional>

#include "language/ir/kernel.h"

namespace drywarp::ir {

[[nodiscard]] inline bool is_bulk(Opcode op) { return info(op).family == Family::BulkCopy; }
[[nodiscard]] bool is_shared(AddressSpace space);

// Addresses and sizes are multiples of it.
inline constexpr unsigned kBulkUnit = 16;

// Indices into Instruction::src.
struct BulkOperands {
  std::optional<size_t> to, from;
  std::optional<size_t> map;  // of a tensor, and its first coordinate
  std::optional<size_t> coordinates;
  std::optional<size_t> bytes, value;  // value: of st.bulk
  std::optional<size_t> barrier;       // that hears of the bytes
  std::optional<size_t> blocks;        // of .multicast::cluster: a mask
  std::optional<size_t> byte_mask;
  size_t count = 0;  // that the instruction needs
};
[[nodiscard]] BulkOperands bulk_operands(const Instruction& in);
// Known forms of these instructions.
[[nodiscard]] bool known_bulk(const Instruction& in);

}  // namespace drywarp::ir
