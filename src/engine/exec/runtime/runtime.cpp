#include "engine/exec/blocks/runtime_functions.h"

namespace drywarp::exec {

std::vector<jit::RuntimeSymbol> runtime_symbols() {
  return {
#define DW_RUNTIME(name, result, parameters) {"dw_" #name, reinterpret_cast<void*>(&dw_##name)},
#include "engine/jit/abi/runtime_functions.def"
  };
}

}  // namespace drywarp::exec
