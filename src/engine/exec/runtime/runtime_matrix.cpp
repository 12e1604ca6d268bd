// Products of matrices: the lanes' registers come and go as arrays. And what is wrong with where wmma has a matrix.
#include <fmt/format.h>

#include <bit>

#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/matrix/multiply.h"
#include "engine/exec/runtime/denied_accesses.h"
#include "engine/exec/runtime/places.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

// CUDA's guide: the address is a multiple of 32 bytes, and so far from one line to the next is one of 16. An H200 loads
// factors of 8 and 16 bits from shared memory by rows of 16 bytes, which must be aligned; all else by elements.
bool loads_rows(const ir::Instruction& in, const Window& window) {
  using Use = ir::MatrixUse;
  const ir::MatrixModifiers& m = in.mods.matrix;
  if (in.op != ir::Opcode::WmmaLoad || (m.use != Use::A && m.use != Use::B)) return false;
  if (window.memory != Memory::Shared) return false;
  return ir::bits(in.type) == 16 || (ir::bits(in.type) == 8 && m.a_column == (m.use == Use::B));
}

}  // namespace

extern "C" {

void dw_matrix(WarpContext* context, uint32_t instruction, uint32_t mask, void* lane_addresses, void* lane_strides) {
  constexpr uint32_t kRow = 16;  // bytes
  Warp& warp = warp_of(context);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  const auto* addresses = static_cast<const uint64_t*>(lane_addresses);
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));  // all lanes give the same
  const uint32_t stride = static_cast<const uint32_t*>(lane_strides)[lane];
  const auto window = find_window(warp, in.mods.space, addresses[lane], 1);
  const bool stops = window && loads_rows(in, *window) && (addresses[lane] % kRow != 0 || stride % kRow != 0);
  const std::string rule =
      stride % kRow != 0
          ? fmt::format("lines of a matrix of wmma that lie {} bytes apart, which is no multiple of 16", stride)
          : fmt::format("address of a matrix of wmma that is no multiple of {}", stops ? kRow : 2 * kRow);
  const Access at{warp,      nullptr,    in.mods.space,         instruction,
                  addresses, 1u << lane, ir::bits(in.type) / 8, in.op == ir::Opcode::WmmaStore};
  if (!warp.owner->spares) {
    const auto fault = [&] { return fault_at(warp, FaultKind::MisalignedAddress, instruction, lane, rule); };
    if (!warp.worker->launch->allows_undefined_uses) raise(warp, fault());
    return note_undefined_use(warp, instruction, UndefinedUse::Of::MatrixLines, fault);
  }
  tell_denial(at, observe::Denial::Why::BadMatrix, at.mask, 0, stops ? kRow : 0, rule);
}

void dw_mma(WarpContext* context, uint32_t instruction, void* operands, void* out) {
  Warp& warp = warp_of(context);
  const MatrixArithmetic& arithmetic = warp.worker->launch->matrix;
  if (arithmetic.step_bytes == 0)
    raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, 0,
                         "this device has no tensor cores; --device chooses another"));
  multiply_matrices(running_code(warp).instructions[instruction], arithmetic, operands, out);
}

}  // extern "C"
