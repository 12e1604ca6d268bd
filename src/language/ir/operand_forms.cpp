#include "language/ir/operand_forms.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace drywarp::ir {
namespace {

// Letters of source_types: 1 2 3 the type of that suffix (2 and 3 fall back to the one before), w the type or, with
// .wide, its double; u .u32; h .b64; p .pred.
struct Entry {
  Opcode op;
  OperandForm form;
};

constexpr Entry kForms[] = {
    {Opcode::Add, {1, 1, 2, 2, 0, "21"}},
    {Opcode::Sub, {1, 1, 2, 2, 0, "21"}},
    {Opcode::Mul, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Mul24, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Mad, {1, 1, 3, 3, 0, "11w"}},
    {Opcode::Mad24, {1, 1, 3, 3, 0, "1"}},
    {Opcode::Fma, {1, 1, 3, 3, 0, "221"}},
    {Opcode::Sad, {1, 1, 3, 3, 0, "1"}},
    {Opcode::Div, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Rem, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Abs, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Neg, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Min, {1, 1, 2, 3, 0, "1"}},
    {Opcode::Max, {1, 1, 2, 3, 0, "1"}},
    {Opcode::Dp4a, {1, 1, 3, 3, 0, "121"}},
    {Opcode::Dp2a, {1, 1, 3, 3, 0, "121"}},
    {Opcode::Addc, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Subc, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Madc, {1, 1, 3, 3, 0, "1"}},
    {Opcode::Copysign, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Testp, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Rcp, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Sqrt, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Rsqrt, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Sin, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Cos, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Lg2, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Ex2, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Tanh, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Popc, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Clz, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Bfind, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Fns, {1, 1, 3, 3, 0, "1uu"}},
    {Opcode::Brev, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Bfe, {1, 1, 3, 3, 0, "1u"}},
    {Opcode::Bfi, {1, 1, 4, 4, 0, "11u"}},
    {Opcode::Bmsk, {1, 1, 2, 2, 0, "u"}},
    {Opcode::Szext, {1, 1, 2, 2, 0, "1u"}},
    {Opcode::And, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Or, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Xor, {1, 1, 2, 2, 0, "1"}},
    {Opcode::Not, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Cnot, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Lop3, {1, 2, 4, 5, 0, "111up"}},
    {Opcode::Shl, {1, 1, 2, 2, 0, "1u"}},
    {Opcode::Shr, {1, 1, 2, 2, 0, "1u"}},
    {Opcode::Shf, {1, 1, 3, 3, 0, "11u"}},
    {Opcode::Prmt, {1, 1, 3, 3, 0, "1"}},
    {Opcode::Setp, {1, 2, 2, 3, 0, "11p"}},
    {Opcode::Set, {1, 1, 2, 3, 0, "22p"}},
    {Opcode::Selp, {1, 1, 3, 3, 0, "11p"}},
    {Opcode::Slct, {1, 1, 3, 3, 0, "112"}},
    {Opcode::Mov, {1, 8, 1, 8, 0, "1"}},
    {Opcode::Cvt, {1, 1, 1, 5, 0, "2"}},
    {Opcode::CvtPack, {1, 1, 2, 3, 0, "223"}},
    {Opcode::Cvta, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Isspacep, {1, 1, 1, 1, 0, "h"}},
    {Opcode::Mapa, {1, 1, 2, 2, 0, "1u"}},
    {Opcode::Getctarank, {1, 1, 1, 1, 0, "1"}},
    {Opcode::Ld, {1, 8, 0, 1, 1, "h"}},
    {Opcode::Ldu, {1, 8, 0, 1, 1, "h"}},
    {Opcode::St, {0, 0, 1, 9, 1, "1"}},
    {Opcode::Atom, {1, 8, 1, 17, 1, "1"}},
    {Opcode::Red, {0, 0, 1, 9, 1, "1"}},
    {Opcode::Prefetch, {0, 0, 0, 1, 1, "u"}},
    {Opcode::Prefetchu, {0, 0, 0, 1, 1, "u"}},
    {Opcode::Applypriority, {0, 0, 0, 1, 1, "u"}},
    {Opcode::Discard, {0, 0, 0, 1, 1, "u"}},
    {Opcode::Createpolicy, {1, 1, 0, 3, 0, "u"}},
    {Opcode::Membar, {0, 0, 0, 0, 0, "u"}},
    {Opcode::Fence, {0, 0, 0, 1, 0, "u"}},
    {Opcode::FenceProxy, {0, 0, 0, 2, 0, "u"}},
    {Opcode::Alloca, {1, 1, 1, 2, 0, "1u"}},
    {Opcode::Stacksave, {1, 1, 0, 0, 0, "1"}},
    {Opcode::Stackrestore, {0, 0, 1, 1, 0, "1"}},
    {Opcode::CpAsync, {0, 0, 1, 3, 2, "u"}},
    {Opcode::CpAsyncCommitGroup, {0, 0, 0, 0, 0, "u"}},
    {Opcode::CpAsyncWaitGroup, {0, 0, 1, 1, 0, "u"}},
    {Opcode::CpAsyncWaitAll, {0, 0, 0, 0, 0, "u"}},
    {Opcode::CpAsyncMbarrierArrive, {0, 0, 0, 0, 1, "u"}},
    // expand_async_store() says what a form has; an expanded instruction has no operand left.
    {Opcode::StAsync, {0, 0, 0, 4, 0, "1"}},
    {Opcode::RedAsync, {0, 0, 0, 1, 0, "1"}},
    // bulk_operands() says what is what.
    {Opcode::CpAsyncBulk, {0, 0, 3, 6, 0, "h"}},
    {Opcode::CpAsyncBulkPrefetch, {0, 0, 2, 3, 0, "h"}},
    {Opcode::CpAsyncBulkTensor, {0, 0, 3, 13, 0, "h"}},
    {Opcode::CpAsyncBulkPrefetchTensor, {0, 0, 2, 10, 0, "h"}},
    {Opcode::CpAsyncBulkCommitGroup, {0, 0, 0, 0, 0, "h"}},
    {Opcode::CpAsyncBulkWaitGroup, {0, 0, 1, 1, 0, "h"}},
    {Opcode::CpReduceAsyncBulk, {0, 0, 3, 5, 0, "h"}},
    {Opcode::CpReduceAsyncBulkTensor, {0, 0, 3, 9, 0, "h"}},
    {Opcode::StBulk, {0, 0, 2, 3, 0, "h"}},
    {Opcode::Bra, {0, 0, 0, 0, 0, "u"}},
    {Opcode::BrxIdx, {0, 0, 1, 1, 0, "u"}},
    {Opcode::Call, {0, 0, 0, 1, 0, "h"}},
    {Opcode::Ret, {0, 0, 0, 0, 0, "u"}},
    {Opcode::Exit, {0, 0, 0, 0, 0, "u"}},
    {Opcode::Trap, {0, 0, 0, 0, 0, "u"}},
    {Opcode::Brkpt, {0, 0, 0, 0, 0, "u"}},
    {Opcode::Bar, {0, 1, 1, 3, 0, "uup"}},
    {Opcode::Barrier, {0, 1, 1, 3, 0, "uup"}},
    {Opcode::BarWarpSync, {0, 0, 1, 1, 0, "u"}},
    {Opcode::MbarrierInit, {0, 0, 1, 1, 1, "u"}},
    {Opcode::MbarrierInval, {0, 0, 0, 0, 1, "u"}},
    {Opcode::MbarrierArrive, {1, 1, 0, 1, 1, "u"}},
    {Opcode::MbarrierArriveDrop, {1, 1, 0, 1, 1, "u"}},
    {Opcode::MbarrierTestWait, {1, 1, 1, 2, 1, "1u"}},
    {Opcode::MbarrierTryWait, {1, 1, 1, 2, 1, "1u"}},
    {Opcode::MbarrierPendingCount, {1, 1, 1, 1, 0, "1"}},
    {Opcode::MbarrierExpectTx, {0, 0, 1, 1, 1, "u"}},
    {Opcode::MbarrierCompleteTx, {0, 0, 1, 1, 1, "u"}},
    {Opcode::Griddepcontrol, {0, 0, 0, 0, 0, "u"}},
    {Opcode::ElectSync, {1, 2, 1, 1, 0, "u"}},
    {Opcode::Shfl, {1, 2, 3, 4, 0, "1u"}},
    {Opcode::Vote, {1, 1, 1, 2, 0, "pu"}},
    {Opcode::Match, {1, 2, 2, 2, 0, "1u"}},
    {Opcode::Redux, {1, 1, 2, 2, 0, "1u"}},
    {Opcode::Activemask, {1, 1, 0, 0, 0, "u"}},
    {Opcode::Movmatrix, {1, 1, 1, 1, 0, "u"}},
    {Opcode::Vadd, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vsub, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vabsdiff, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vmin, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vmax, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vshl, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vshr, {1, 1, 2, 3, 0, "231"}},
    {Opcode::Vmad, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vset, {1, 1, 2, 3, 0, "12u"}},
    {Opcode::Vadd2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vsub2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vavrg2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vabsdiff2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vmin2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vmax2, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vset2, {1, 1, 3, 3, 0, "12u"}},
    {Opcode::Vadd4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vsub4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vavrg4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vabsdiff4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vmin4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vmax4, {1, 1, 3, 3, 0, "231"}},
    {Opcode::Vset4, {1, 1, 3, 3, 0, "12u"}},
    {Opcode::Tex, {0, kAny, 0, kAny, 1, "2"}},
    {Opcode::Tld4, {0, kAny, 0, kAny, 1, "2"}},
    {Opcode::Txq, {1, 1, 0, kAny, 1, "u"}},
    {Opcode::Suld, {1, 4, 0, kAny, 1, "u"}},
    {Opcode::Sust, {0, 0, 0, kAny, 1, "1"}},
    {Opcode::Sured, {0, 0, 0, kAny, 1, "1"}},
    {Opcode::Suq, {1, 1, 0, kAny, 1, "u"}},
    // known_matrix() says how many registers a form has; an expanded instruction has none left.
    {Opcode::Ldmatrix, {1, 4, 0, 0, 1, "u"}},
    {Opcode::Stmatrix, {0, 0, 1, 4, 1, "u"}},
    {Opcode::Mma, {1, 8, 3, 24, 0, "u"}},
    {Opcode::MmaSp, {1, 4, 8, 14, 0, "u"}},
    {Opcode::WmmaLoad, {0, 16, 0, 1, 0, "u"}},
    {Opcode::WmmaStore, {0, 0, 0, 17, 0, "u"}},
    {Opcode::WmmaMma, {0, 16, 0, 48, 0, "u"}},
    // known_group_product() likewise; the last sources are the sums so far.
    {Opcode::WgmmaMmaAsync, {1, 128, 3, 140, 0, "u"}},
    {Opcode::WgmmaFence, {0, 0, 0, 0, 0, "u"}},
    {Opcode::WgmmaCommitGroup, {0, 0, 0, 0, 0, "u"}},
    {Opcode::WgmmaWaitGroup, {0, 0, 1, 1, 0, "u"}},
    {Opcode::Nanosleep, {0, 0, 1, 1, 0, "u"}},
    {Opcode::Pmevent, {0, 0, 1, 1, 0, "u"}},
    {Opcode::Setmaxnreg, {0, 0, 1, 1, 0, "u"}},
};

// Of the opcodes that do not run: those whose first operand is written.
constexpr Opcode kLooseWithDestination[] = {
    Opcode::Istypep,
    Opcode::MultimemLdReduce,
    Opcode::ClusterlaunchcontrolQueryCancel,
};

constexpr bool every_opcode_that_runs_has_a_form() {
  constexpr bool Run = true, Parse = false;
#define DW_OPCODE(name, mnemonic, family, support) \
  if (support && std::ranges::find(kForms, Opcode::name, &Entry::op) == std::end(kForms)) return false;
#include "language/ptx/isa.def"
  return true;
}
static_assert(every_opcode_that_runs_has_a_form(), "add the new opcode to kForms");

constexpr size_t kCount = size_t(Opcode::Unknown) + 1;
constexpr std::array<OperandForm, kCount> make_forms() {
  std::array<OperandForm, kCount> table{};
  for (OperandForm& form : table) form = {0, 0, 0, kAny, 0, "1"};
  for (Opcode op : kLooseWithDestination) table[size_t(op)] = {0, kAny, 0, kAny, 0, "1"};
  for (const Entry& entry : kForms) table[size_t(entry.op)] = entry.form;
  return table;
}
constexpr std::array<OperandForm, kCount> kTable = make_forms();

Type widened(Type type) {
  constexpr std::pair<Type, Type> kWide[] = {
      {Type::U16, Type::U32}, {Type::S16, Type::S32}, {Type::U32, Type::U64}, {Type::S32, Type::S64}};
  for (const auto& [narrow, wide] : kWide) {
    if (narrow == type) return wide;
  }
  return type;
}

}  // namespace

const OperandForm& operand_form(Opcode op) { return kTable[size_t(op)]; }

Type source_type(const Instruction& instruction, size_t index) {
  const char* letters = operand_form(instruction.op).source_types;
  const char letter = letters[std::min(index, std::strlen(letters) - 1)];
  const Type second = instruction.type2 != Type::None ? instruction.type2 : instruction.type;
  if (letter == 'u') return Type::U32;
  const Family family = info(instruction.op).family;
  if (family == Family::Texture && index == 0 && is_layered(instruction.mods.texture.geometry)) return Type::U32;
  if (family == Family::Surface && index < coordinate_operands(instruction.mods.texture.geometry)) return Type::S32;
  if (letter == 'h') return Type::B64;
  if (letter == 'p') return Type::Pred;
  if (letter == '2') return second;
  if (letter == '3') return instruction.type3 != Type::None ? instruction.type3 : second;
  if (letter == 'w' && instruction.mods.part == Part::Wide) return widened(instruction.type);
  return instruction.type;
}

bool has_destination(Opcode op, Mode mode) {
  if (op == Opcode::Bar || op == Opcode::Barrier) {
    return mode == Mode::BarRedPopc || mode == Mode::BarRedAnd || mode == Mode::BarRedOr;
  }
  return operand_form(op).max_dst != 0;
}

}  // namespace drywarp::ir
