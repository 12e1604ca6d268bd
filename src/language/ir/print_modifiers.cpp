#include "language/ir/print_modifiers.h"

#include <string_view>

namespace drywarp::ir {
namespace {

// In the order of the enumerators; None is empty.
constexpr std::string_view kRounding[] = {"",    ".rn",  ".rz",  ".rm",  ".rp", ".rna",
                                          ".rs", ".rni", ".rzi", ".rmi", ".rpi"};
static_assert(std::size(kRounding) == size_t(Rounding::Rpi) + 1);
constexpr std::string_view kCompare[] = {"",    ".eq",  ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls", ".hi",
                                         ".hs", ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
static_assert(std::size(kCompare) == size_t(Compare::Nan) + 1);
constexpr std::string_view kCombine[] = {"", ".and", ".or", ".xor"};
static_assert(std::size(kCombine) == size_t(BoolOp::Xor) + 1);
constexpr std::string_view kPart[] = {"", ".lo", ".hi", ".wide"};
static_assert(std::size(kPart) == size_t(Part::Wide) + 1);
constexpr std::string_view kSpace[] = {"",       ".global", ".shared",          ".local", ".const",
                                       ".param", ".param",  ".shared::cluster", ""};
static_assert(std::size(kSpace) == size_t(AddressSpace::Register) + 1);
constexpr std::string_view kOrder[] = {"", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc", ".mmio"};
static_assert(std::size(kOrder) == size_t(Order::Mmio) + 1);
constexpr std::string_view kScope[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
static_assert(std::size(kScope) == size_t(Scope::Sys) + 1);
constexpr std::string_view kCache[] = {"", ".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt"};
static_assert(std::size(kCache) == size_t(CacheOperator::Wt) + 1);
constexpr std::string_view kAtom[] = {"",     ".and", ".or",  ".xor", ".cas", ".exch",
                                      ".add", ".inc", ".dec", ".min", ".max"};
static_assert(std::size(kAtom) == size_t(AtomOp::Max) + 1);
constexpr std::string_view kMode[] = {
    "",          ".up",     ".down",       ".bfly",   ".idx",       ".all", ".any",    ".uni",      ".ballot",
    ".any",      ".all",    ".f4e",        ".b4e",    ".rc8",       ".ecl", ".ecr",    ".rc16",     ".finite",
    ".infinite", ".number", ".notanumber", ".normal", ".subnormal", "",     ".arrive", ".red.popc", ".red.and",
    ".red.or",   ".add",    ".min",        ".max",    ".and",       ".or",  ".xor"};
static_assert(std::size(kMode) == size_t(Mode::ReduxXor) + 1);

}  // namespace

std::string suffixes(const Instruction& instruction) {
  const Modifiers& m = instruction.mods;
  const bool barrier = info(instruction.op).family == Family::Barrier;
  const std::pair<bool, std::string_view> flags[] = {
      {m.uni, ".uni"},
      {instruction.op == Opcode::Shf, m.left ? ".l" : ".r"},
      {m.wrap, ".wrap"},
      {m.approx, ".approx"},
      {m.full, ".full"},
      {m.ftz, ".ftz"},
      {m.noftz, ".noftz"},
      {m.nan, ".NaN"},
      {m.xorsign_abs, ".xorsign.abs"},
      {m.abs, ".abs"},
      {m.relu, ".relu"},
      {m.satfinite, ".satfinite"},
      {m.sat && !m.satfinite, ".sat"},
      {m.carry_out, ".cc"},
      {m.shiftamt, ".shiftamt"},
      {m.aligned && instruction.op != Opcode::Bar, ".aligned"},
  };
  // A mnemonic such as bar.warp.sync has its .sync already.
  const bool spelled = std::string_view(info(instruction.op).mnemonic).ends_with(".sync");
  std::string text;
  if (m.sync && !spelled) text += ".sync";
  if (m.to) text += ".to";
  text += kMode[size_t(m.mode)];
  text += kOrder[size_t(instruction.op == Opcode::Membar ? Order::Weak : m.order)];
  text += kScope[size_t(m.scope)];
  if (!barrier) text += kSpace[size_t(m.space)];
  text += kPart[size_t(m.part)];
  text += kCompare[size_t(m.compare)];
  text += kCombine[size_t(m.combine)];
  text += kAtom[size_t(m.atom)];
  text += kRounding[size_t(m.rounding)];
  for (const auto& [given, word] : flags) {
    if (given) text += word;
  }
  text += kCache[size_t(m.cache)];
  text += m.extra;
  if (m.vector > 1) text += ".v" + std::to_string(m.vector);
  return text;
}

}  // namespace drywarp::ir
