// Any text goes in; a module or a located error comes out. A module must hold to the rules of the IR, before and after
// inlining, and every instruction must print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "language/ir/build/build.h"
#include "language/ir/passes.h"
#include "language/ir/print.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ir::Module> module = ir::parse_module(text, "fuzz.ptx");
  if (!module) {
    require(!module.problem().message.empty());
    // A failing verification is a bug of the builder, whatever the text is.
    require(module.problem().message.find("malformed code") == std::string::npos);
    return 0;
  }
  for (const ir::Function& function : module->functions) {
    if (function.is_declaration) continue;
    const ir::Function inlined = ir::inline_calls(*module, function);
    require(ir::verify(*module, inlined).ok());
    for (const ir::Instruction& instruction : inlined.instructions) {
      (void)ir::print(inlined, instruction);
      ir::Instruction bare = instruction;
      bare.text_length = 0;
      require(!ir::print(inlined, bare).empty());
    }
  }
  return 0;
}
