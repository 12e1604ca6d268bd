// Products of matrices: the lanes' registers come and go as arrays.
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/matrix/multiply.h"
#include "engine/exec/runtime/places.h"

using namespace drywarp;
using namespace drywarp::exec;

extern "C" {

void dw_mma(WarpContext* context, uint32_t instruction, void* operands, void* out) {
  Warp& warp = warp_of(context);
  const MatrixArithmetic& arithmetic = warp.worker->launch->matrix;
  if (arithmetic.step_bytes == 0)
    raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, 0,
                         "this device has no tensor cores; --device chooses another"));
  multiply_matrices(running_code(warp).instructions[instruction], arithmetic, operands, out);
}

}  // extern "C"
