// A function of a PTX module as the engine sees it: typed instructions in basic blocks, registers and symbols by
// number, modifiers decoded. Built from the syntax tree by build.h; everything after this folder reads these structs
// and no text.
//
// Blocks are in the order of the text; block 0 is the entry. A block's last instruction may be a terminator (bra,
// brx.idx, ret, exit, trap); a block without one falls through to the next. `Block::successors` says where control can
// go; the number `kExit` stands for leaving the function. A guarded `ret`/`exit`/`trap` has two successors: {kExit,
// next}.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/access/address_space.h"
#include "base/access/memory_order.h"

namespace drywarp::ir {

// Opcodes, from the table.
enum class Opcode : uint16_t {
#define DW_OPCODE(name, mnemonic, family, support) name,
#include "language/ptx/isa.def"
};

enum class Family : uint8_t {
#define DW_FAMILY(name, emission, effect, results, klass) name,
#include "language/ir/families.def"
};
enum class Emission : uint8_t { Function, Context };
enum class Effect : uint8_t { None, Guarded, Lasting };
enum class Results : uint8_t { ByOperands, Uniform, Varying, Loaded, Exchanged };

struct FamilyTraits {
  Emission emission;
  Effect effect;
  Results results;
};
inline constexpr FamilyTraits kFamilyTraits[] = {
#define DW_FAMILY(name, emission, effect, results, klass) {Emission::emission, Effect::effect, Results::results},
#include "language/ir/families.def"
};
[[nodiscard]] constexpr const FamilyTraits& traits(Family family) { return kFamilyTraits[size_t(family)]; }

struct OpcodeInfo {
  const char* mnemonic;
  Family family;
  bool runs;  // false: parses only; a launch of a kernel that reaches it fails by name
};
[[nodiscard]] const OpcodeInfo& info(Opcode op);

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  U16x2,
  S16x2,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  E2M3x2,
  E3M2x2,
  E2M1x2,
  UE8M0x2,
  U4,
  S4,
  B1,     // U4, S4, B1: elements of matrices
  Other,  // parsed (other sub-byte formats), never executed
};
[[nodiscard]] unsigned bits(Type type);     // Pred: 1; None, Other: 0
[[nodiscard]] bool is_float(Type type);     // every floating format, packed ones too
[[nodiscard]] bool is_signed(Type type);    // S8 .. S64, S16x2
[[nodiscard]] const char* name(Type type);  // "u32"

enum class Rounding : uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rs, Rni, Rzi, Rmi, Rpi };
enum class Compare : uint8_t { None, Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
enum class BoolOp : uint8_t { None, And, Or, Xor };
enum class Part : uint8_t { None, Lo, Hi, Wide };
using Order = MemoryOrder;
using Scope = MemoryScope;
// .cg caches in L2 alone, .cv fetches again.
enum class CacheOperator : uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };
enum class AtomOp : uint8_t { None, And, Or, Xor, Cas, Exch, Add, Inc, Dec, Min, Max };
// One enum for the small mode words that belong to one opcode each (shfl, vote, match, prmt, shf, testp, bar, redux,
// ...).
enum class Mode : uint8_t {
  None,
  ShflUp,
  ShflDown,
  ShflBfly,
  ShflIdx,
  VoteAll,
  VoteAny,
  VoteUni,
  VoteBallot,
  MatchAny,
  MatchAll,
  PrmtF4e,
  PrmtB4e,
  PrmtRc8,
  PrmtEcl,
  PrmtEcr,
  PrmtRc16,
  TestpFinite,
  TestpInfinite,
  TestpNumber,
  TestpNotanumber,
  TestpNormal,
  TestpSubnormal,
  BarSync,
  BarArrive,
  BarRedPopc,
  BarRedAnd,
  BarRedOr,
  ReduxAdd,
  ReduxMin,
  ReduxMax,
  ReduxAnd,
  ReduxOr,
  ReduxXor,
};

// Of textures and surfaces. The layer of an array is the first coordinate.
enum class Geometry : uint8_t { None, D1, D2, D3, A1d, A2d, Cube, Acube };
enum class MipLevel : uint8_t { Base, Level, Grad };
enum class Boundary : uint8_t { Trap, Clamp, Zero };
enum class TextureQuery : uint8_t { None, Width, Height, Depth, ArraySize, MipmapLevels, NormalizedCoordinates };
struct TextureModifiers {
  Geometry geometry = Geometry::None;
  MipLevel level = MipLevel::Base;
  Boundary boundary = Boundary::Trap;
  TextureQuery query = TextureQuery::None;
  uint8_t component = 0;  // tld4
};
// Numbers of .s32 or .f32 that name a texel; a place in PTX has four where it needs three.
[[nodiscard]] unsigned coordinates(Geometry geometry);
// The same with what PTX pads.
[[nodiscard]] unsigned coordinate_operands(Geometry geometry);
[[nodiscard]] bool is_layered(Geometry geometry);

// Of matrix instructions; see matrix_shapes.h. The types of d, a and b are the instruction's; of wmma.load and
// wmma.store, `type` is that of the elements.
enum class MatrixUse : uint8_t { None, A, B, C, D };
struct MatrixModifiers {
  uint16_t m = 0, n = 0, k = 0;
  bool a_column = false, b_column = false;  // column-major; of the one matrix of wmma.load and wmma.store: a_column
  bool transposed = false;                  // ldmatrix, stmatrix
  uint8_t count = 1;                        // ldmatrix, stmatrix: matrices
  MatrixUse use = MatrixUse::None;          // wmma.load, wmma.store
  BoolOp bits = BoolOp::None;               // .xor.popc, .and.popc
  Type c_type = Type::None;
};

// Of copies by one thread, of many bytes; see bulk_copies.h.
struct BulkModifiers {
  AddressSpace source = AddressSpace::Generic;  // where the data come from; Modifiers::space: where they go
  uint8_t rank = 0;                             // of a tensor; 0: plain bytes
  bool completes_barrier = false;               // .mbarrier::complete_tx::bytes
  bool multicast = false;                       // .multicast::cluster
  bool byte_mask = false;                       // .cp_mask
  bool reads_alone = false;                     // wait_group.read
};

struct Modifiers {
  Rounding rounding = Rounding::None;
  Compare compare = Compare::None;
  BoolOp combine = BoolOp::None;  // setp/set with a third operand; lop3.BoolOp
  Part part = Part::None;
  AddressSpace space = AddressSpace::Generic;
  Order order = Order::Weak;
  Scope scope = Scope::None;
  CacheOperator cache = CacheOperator::None;
  AtomOp atom = AtomOp::None;
  Mode mode = Mode::None;
  uint8_t vector = 1;  // ld/st .v2 .v4 .v8; also atom/red .v2 ..
  bool ftz = false;
  bool sat = false;        // .sat, .satfinite
  bool satfinite = false;  // .satfinite only
  bool relu = false;
  bool approx = false;
  bool full = false;  // div.full
  bool nan = false;   // min/max.NaN, redux.NaN
  bool xorsign_abs = false;
  bool abs = false;  // redux.abs, min/max.abs
  bool noftz = false;
  bool carry_out = false;        // .cc
  bool left = false;             // shf.l (else .r)
  bool wrap = false;             // shf.wrap, bmsk.wrap, szext.wrap (else .clamp)
  bool shiftamt = false;         // bfind.shiftamt
  bool plus_one = false;         // vmad.po
  uint8_t shift_right = 0;       // vmad.shr7, .shr15
  bool outside_is_zero = false;  // fma.oob
  uint8_t packed_bits = 0;       // cvt.pack.u2, .s2, .u4, .s4: which have no Type; 0: the type says
  bool packed_signed = false;
  // mbarrier.noComplete, .parity, .expect_tx; cp.async.mbarrier.arrive.noinc
  bool no_complete = false, parity = false, expect_tx = false, no_increment = false;
  bool uni = false;      // bra.uni, call.uni, ret.uni
  bool to = false;       // cvta.to.space
  bool sync = false;     // the .sync forms of shfl, vote, match, barrier, redux
  bool aligned = false;  // barrier.sync.aligned (bar.sync is aligned)
  bool nonuniform_mask = false;
  TextureModifiers texture;
  MatrixModifiers matrix;
  BulkModifiers bulk;
  // Every suffix that has no field here, in order, with its dot: ".L1::no_allocate.L2::128B". For printing: what
  // decides how an instruction runs has a field.
  std::string extra;
};

using RegisterId = uint32_t;
using BlockId = uint32_t;
using SymbolId = uint32_t;
using FunctionId = uint32_t;
inline constexpr uint32_t kNone = ~0u;
inline constexpr BlockId kExit = ~0u;

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  TotalSmemSize,
  AggrSmemSize,
  DynamicSmemSize,
  CurrentGraphExec,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  Envreg,
  ReservedSmem,
  Pm,  // indexed: Operand::index
};

struct Operand {
  enum class Kind : uint8_t {
    None,
    Register,   // id; `negate` for !p; bits: not 0: the value is rounded down to a multiple of it, a power of two
    Immediate,  // bits: the value, already in the instruction's type (an f32 operand holds the f32's bits)
    Special,    // special, index
    Symbol,     // the address of symbol `id` plus `bits` as signed offset (mov r, array+4)
    Function,   // the address of function `id` (an indirect call's target)
    Sink,       // _
  };
  Kind kind = Kind::None;
  bool negate = false;
  SpecialRegister special{};
  uint32_t id = kNone;  // register, symbol or function
  uint32_t index = 0;   // envreg<index>
  uint64_t bits = 0;
  // Video instructions: the part of the register, as written without its dot ("b0", "h1", "b7610"), NUL-terminated.
  std::array<char, 6> selector{};
};

// [base + offset]. At most one of reg and symbol is set; neither: an absolute address.
struct Address {
  RegisterId reg = kNone;
  SymbolId symbol = kNone;
  int64_t offset = 0;
};

struct Guard {
  RegisterId reg = kNone;  // kNone: always
  bool negate = false;     // @!p
  explicit operator bool() const { return reg != kNone; }
};

// A place: the line in the PTX text, and the CUDA source line (.loc) if there is one. `inlined_at` follows PTX's
// `function_name, inlined_at` chain: index into Function::places, or kNone.
struct Place {
  uint32_t ptx_line = 0;
  uint32_t file = kNone;  // index into Module::files
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t inlined_at = kNone;
};

// Where an instruction comes from, which decides how it is counted.
enum class Origin : uint8_t {
  Text,         // the PTX text
  InlinedCall,  // op == Call: the call of an inlined function. Does nothing; counts as one call
  InlinedRet,   // op == Bra: a `ret` of an inlined function, now a jump to the code after the call. Counts as one ret
  Added,        // made by a pass (moves of arguments, jumps, the `ret` at a missing end). Runs; does not count
  Held,         // of lanes that leave a branch's sides (hold_leaving_lanes). Runs; is nothing in machine code
  Expanded,     // stands before the parts that do its work. Does nothing; counts as one instruction
  Part,         // of an expanded instruction. Runs; its accesses to memory count, and it is no instruction of its own
};

// As an instruction of the text.
[[nodiscard]] constexpr bool counts(Origin origin) {
  return origin != Origin::Added && origin != Origin::Held && origin != Origin::Part;
}

struct Instruction {
  Opcode op{};
  Origin origin = Origin::Text;
  Type type = Type::None;   // the first type suffix: the destination's for cvt and set; the only one elsewhere
  Type type2 = Type::None;  // the second: of the source for cvt, set and slct, of b for dp4a, of a for vadd
  Type type3 = Type::None;  // vadd's b, mma's b
  Modifiers mods;
  Guard guard;
  // Operands in PTX order. Vectors are flattened: ld.v4 has four in dst; mov.b64 {a,b}, r has two in dst; `p|q` is two
  // in dst. atom: src = values after the address. st: src = values. setp with a combined predicate: src[2]. shfl: dst =
  // d, p?; src = a, b, c, membermask. bar: src = barrier, thread count (and predicate). vote: src = predicate,
  // membermask.
  std::vector<Operand> dst;
  std::vector<Operand> src;
  std::optional<Address> address;   // ld, st, atom, red, cp.async (destination), mbarrier, prefetch, cvta has none
  std::optional<Address> address2;  // cp.async: the source
  // Control
  BlockId target = kExit;               // bra
  std::vector<BlockId> targets;         // brx.idx
  FunctionId callee = kNone;            // direct call; kNone with op == Call: indirect, target address in src[0]
  uint32_t prototype = kNone;           // indirect call: index into Module::prototypes
  std::vector<Operand> call_results;    // .param slots or registers of the caller, in order
  std::vector<Operand> call_arguments;  // Kind::Symbol with AddressSpace::ParamFunc, or Register / Immediate
  uint32_t place = kNone;               // index into Function::places
  uint32_t text_begin = 0;              // in Function::source, without the guard's label, with the semicolon
  uint32_t text_length = 0;             // 0: not from a text
};

// False: it parses only. A launch of a kernel that can reach it fails by its name.
[[nodiscard]] bool runs(const Instruction& instruction);

struct Block {
  uint32_t first = 0;  // instructions [first, end) of Function::instructions
  uint32_t end = 0;
  std::vector<BlockId> successors;  // bra: {target, next} if guarded, else {target}. May hold kExit.
};

struct Register {
  std::string name;  // "%r12"
  Type type = Type::None;
};

// A variable: of the module (.global, .const, module-scope .shared) or of a function (.shared, .local, .param).
struct Symbol {
  std::string name;
  AddressSpace space = AddressSpace::Global;
  uint64_t size = 0;  // bytes; 0 for extern .shared x[] (the dynamic part starts there)
  uint32_t alignment = 1;
  // Param: offset in the kernel's parameter buffer.
  // Local and ParamFunc (formal parameters, results and call slots of a .func alike): offset in the frame of the kernel
  // or of the really called function that the code runs in. A function's frame lies behind those of its callers, so
  // inlining a call moves no symbol; Function::local_bytes covers the whole frame. Shared: offset in the block's static
  // shared memory. Symbols that a kernel can both reach never overlap. An extern .shared array has no offset: it starts
  // at dynamic_shared_offset(kernel).
  uint64_t offset = 0;
  uint64_t padding = 0;          // shared: what lies before it in code that keeps variables apart
  bool is_extern = false;        // extern .shared, or a .global defined in another module
  std::vector<uint8_t> initial;  // .global/.const: `size` bytes, or empty for zeroes
  struct Relocation {            // initial value holds the address of another symbol or function
    uint64_t offset = 0;         // where in `initial`
    SymbolId symbol = kNone;
    FunctionId function = kNone;
    int64_t addend = 0;
    bool generic = false;
    uint8_t bytes = 8;  // of the element that holds it
    uint64_t mask = 0;  // not 0: the element is (address & mask) >> (trailing zeros of mask)
  };
  std::vector<Relocation> relocations;
  bool managed = false;
  bool of_module = false;  // declared at module scope
};

struct Parameter {
  SymbolId symbol = kNone;  // .param parameter: Function::symbols index base is the module's; see Module::symbols
  RegisterId reg = kNone;   // .reg parameter of a .func
  Type type = Type::None;   // element type
  uint64_t size = 0;        // bytes
  uint32_t alignment = 1;
};

struct Function {
  std::string name;
  std::shared_ptr<const std::string> source;  // the module's PTX text; null for a function built by hand
  bool is_kernel = false;
  bool is_declaration = false;  // .extern .func or a forward declaration without a body
  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;
  std::vector<Place> places;
  std::vector<Parameter> results;  // .func only
  std::vector<Parameter> parameters;
  uint64_t parameter_bytes = 0;  // size of the kernel's parameter buffer
  uint64_t local_bytes = 0;      // the frame: .local variables and .param slots, its own and those of every function
                                 // that inline_calls puts into it
  uint64_t shared_bytes = 0;     // of a kernel: static shared memory a block, of every function it can reach
  uint32_t dynamic_shared_alignment = 16;  // of the extern .shared arrays that it can reach, at least 16
  // As Symbol::padding: of a kernel's last static variable, and of its dynamic part.
  uint64_t shared_padding = 0, dynamic_padding = 0;
  // Performance directives, 0: not given
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t maxntid[3] = {0, 0, 0};
  uint32_t cluster[3] = {0, 0, 0};  // .reqnctapercluster
  uint32_t minnctapersm = 0;
  uint32_t maxnreg = 0;
  std::vector<SymbolId> symbols;  // declared in it: parameters, .local, .shared, call slots
  std::vector<FunctionId>
      reachable;  // of a kernel: every function it can call, itself first, through addresses taken too
};

// Where the dynamic part of a block's shared memory starts: behind the static part, aligned.
[[nodiscard]] uint64_t dynamic_shared_offset(const Function& kernel);

struct Module {
  std::string name;                 // where it came from, for messages: a file name or the program's
  std::string version;              // "8.3"
  std::string target;               // "sm_90"
  std::vector<std::string> files;   // .file
  std::vector<Symbol> symbols;      // all of them, functions' too; SymbolId indexes this
  std::vector<Function> functions;  // FunctionId indexes this
  // Some code uses a cluster's shared memory, its barrier, or a block's position in it.
  bool uses_clusters = false;
  struct Prototype {
    std::vector<Parameter> results, parameters;
  };
  std::vector<Prototype> prototypes;

  [[nodiscard]] FunctionId find_function(const std::string& name) const;  // kNone if there is none
  [[nodiscard]] SymbolId find_symbol(const std::string& name) const;      // module-scope only; kNone
};

}  // namespace drywarp::ir
