#include "engine/jit/emitter_table.h"

#include <iterator>

namespace drywarp::jit {
namespace {

// nullptr: FunctionEmitter emits the family's opcodes. The others have a function for each opcode.
#define DW_FAMILY_Arithmetic(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Special(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Bits(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Logic(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Compare(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Convert(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Video(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_WarpExchange(name) DW_UNLESS_CONTROL(name)
#define DW_FAMILY_Move(name) nullptr
#define DW_FAMILY_Load(name) nullptr
#define DW_FAMILY_Store(name) nullptr
#define DW_FAMILY_Atomic(name) nullptr
#define DW_FAMILY_Cache(name) nullptr
#define DW_FAMILY_Fence(name) nullptr
#define DW_FAMILY_AsyncCopy(name) nullptr
#define DW_FAMILY_Control(name) nullptr
#define DW_FAMILY_Barrier(name) nullptr
#define DW_FAMILY_WarpSync(name) nullptr
#define DW_FAMILY_Mbarrier(name) nullptr
#define DW_FAMILY_Texture(name) nullptr
#define DW_FAMILY_Surface(name) nullptr
#define DW_FAMILY_Matrix(name) nullptr
#define DW_FAMILY_Misc(name) nullptr

// Opcodes of the other families that FunctionEmitter emits, as they need an address space or the mask. Each is defined
// as "something, nullptr", which makes nullptr the second argument of DW_SECOND.
#define DW_CONTROL_Isspacep ~, nullptr
#define DW_CONTROL_Activemask ~, nullptr
#define DW_SECOND(first, second, ...) second
#define DW_PICK(...) DW_SECOND(__VA_ARGS__)
#define DW_UNLESS_CONTROL(name) DW_PICK(DW_CONTROL_##name, &emit_##name, ~)

#define DW_SUPPORT_Run(name, family) DW_FAMILY_##family(name)
#define DW_SUPPORT_Parse(name, family) nullptr

constexpr EmitFunction kEmitFunctions[] = {
#define DW_OPCODE(name, mnemonic, family, support) DW_SUPPORT_##support(name, family),
#include "language/ptx/isa.def"
};

}  // namespace

EmitFunction emit_function(ir::Opcode op) {
  const auto index = static_cast<size_t>(op);
  return index < std::size(kEmitFunctions) ? kEmitFunctions[index] : nullptr;  // Opcode::Unknown is behind the table
}

}  // namespace drywarp::jit
