#include "engine/exec/blocks/runtime_functions.h"

namespace drywarp::exec {

std::vector<jit::RuntimeSymbol> runtime_symbols() {
  return {
#define DW_SYMBOL(function, signature) {#function, reinterpret_cast<void*>(&function)},
      DW_RUNTIME_FUNCTIONS(DW_SYMBOL)
#undef DW_SYMBOL
  };
}

}  // namespace drywarp::exec
