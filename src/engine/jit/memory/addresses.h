// The addresses of memory operands.
#pragma once

#include <optional>

#include "engine/jit/values/values.h"

namespace drywarp::jit {

struct Location {  // an address operand
  AddressSpace space;
  Value* uniform = nullptr;             // i64
  std::optional<ExtendedValue> affine;  // its addend includes the operand's offset
  Value* lanes = nullptr;               // <32 x i64>
  bool on_host = false;                 // the values are host addresses
};

struct AffineAccess {
  Value *base, *stride1, *stride2;  // host address (i64) of lane 0, byte strides
};

class Addresses : Part {
 public:
  Addresses(FunctionCode& code, Values& values) : Part(code), values_(values) {}

  Location location(const ir::Address& address, AddressSpace space);
  Value* lane_addresses(const Location& at);
  Value* spill_addresses(Value* addresses);
  Value* to_host(const Location& at, Value* address);
  AffineAccess affine_access(const ExtendedValue& v);

 private:
  Location generic(const Location& at);
  Location plain_location(const ir::Address& address, AddressSpace space);

  Values& values_;
  llvm::AllocaInst* address_buffer_ = nullptr;
};

// How cp.async writes shared memory.
[[nodiscard]] SharedOp copy_op(const ir::Instruction& in);

}  // namespace drywarp::jit
