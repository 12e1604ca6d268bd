#include "language/ir/print.h"

#include <fmt/format.h>
#include <string_view>

#include "language/ir/special_registers.h"

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
constexpr std::string_view kGeometry[] = {"", ".1d", ".2d", ".3d", ".a1d", ".a2d", ".cube", ".acube"};
constexpr std::string_view kLevel[] = {"", ".level", ".grad"};
constexpr std::string_view kBoundary[] = {".trap", ".clamp", ".zero"};
constexpr std::string_view kQuery[] = {
    "", ".width", ".height", ".depth", ".array_size", ".num_mipmap_levels", ".normalized_coords"};
constexpr std::string_view kComponent[] = {".r", ".g", ".b", ".a"};
constexpr std::string_view kMode[] = {
    "",          ".up",     ".down",       ".bfly",   ".idx",       ".all", ".any",    ".uni",      ".ballot",
    ".any",      ".all",    ".f4e",        ".b4e",    ".rc8",       ".ecl", ".ecr",    ".rc16",     ".finite",
    ".infinite", ".number", ".notanumber", ".normal", ".subnormal", "",     ".arrive", ".red.popc", ".red.and",
    ".red.or",   ".add",    ".min",        ".max",    ".and",       ".or",  ".xor"};
static_assert(std::size(kMode) == size_t(Mode::ReduxXor) + 1);

}  // namespace

std::string_view suffix(Compare compare) { return kCompare[size_t(compare)]; }
std::string_view suffix(Mode mode) { return kMode[size_t(mode)]; }
std::string_view suffix(Rounding rounding) { return kRounding[size_t(rounding)]; }

namespace {

std::string texture_suffixes(const Instruction& in) {
  const TextureModifiers& m = in.mods.texture;
  std::string text;
  if (in.op == Opcode::Tld4) text += kComponent[m.component];
  if (info(in.op).family == Family::Surface && m.query == TextureQuery::None) text += ".b";
  text += kLevel[size_t(m.level)];
  text += kGeometry[size_t(m.geometry)];
  text += kQuery[size_t(m.query)];
  if (info(in.op).family == Family::Surface && m.query == TextureQuery::None) text += kBoundary[size_t(m.boundary)];
  return text;
}

}  // namespace

std::string suffixes(const Instruction& instruction) {
  const Modifiers& m = instruction.mods;
  const bool barrier = info(instruction.op).family == Family::Barrier;
  const std::pair<bool, std::string_view> flags[] = {
      {m.no_complete, ".noComplete"},
      {m.parity, ".parity"},
      {m.expect_tx, ".expect_tx"},
      {m.no_increment, ".noinc"},
      {m.outside_is_zero, ".oob"},
      {m.plus_one, ".po"},
      {m.shift_right == 7, ".shr7"},
      {m.shift_right == 15, ".shr15"},
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
  text += suffix(m.mode);
  text += kOrder[size_t(instruction.op == Opcode::Membar ? Order::Weak : m.order)];
  text += kScope[size_t(m.scope)];
  if (!barrier) text += kSpace[size_t(m.space)];
  text += kPart[size_t(m.part)];
  text += suffix(m.compare);
  text += kCombine[size_t(m.combine)];
  text += kAtom[size_t(m.atom)];
  text += suffix(m.rounding);
  for (const auto& [given, word] : flags) {
    if (given) text += word;
  }
  text += texture_suffixes(instruction);
  text += kCache[size_t(m.cache)];
  text += m.extra;
  if (m.vector > 1) text += ".v" + std::to_string(m.vector);
  return text;
}

namespace {

std::string squeeze(std::string_view text) {
  std::string result;
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool comment = text.substr(i).starts_with("//");
    if (comment) {
      i = std::min(text.find('\n', i), text.size() - 1);
      blank = true;
      continue;
    }
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      blank = true;
      continue;
    }
    if (blank && !result.empty() && c != ';' && c != ',') result += ' ';
    blank = false;
    result += c;
  }
  return result;
}

std::string register_name(const Function& function, RegisterId id) {
  return id < function.registers.size() ? function.registers[id].name : fmt::format("%?{}", id);
}

std::string operand_text(const Function& function, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: {
      std::string text = (operand.negate ? "!" : "") + register_name(function, operand.id);
      if (operand.selector[0] != 0) (text += '.') += operand.selector.data();
      return text;
    }
    case Operand::Kind::Immediate:
      return operand.bits < 1024 ? fmt::format("{}", operand.bits) : fmt::format("{:#x}", operand.bits);
    case Operand::Kind::Special:
      return name(operand.special, operand.index);
    case Operand::Kind::Symbol:
      return operand.bits == 0 ? fmt::format("symbol{}", operand.id)
                               : fmt::format("symbol{}+{}", operand.id, operand.bits);
    case Operand::Kind::Function:
      return fmt::format("function{}", operand.id);
    default:
      return "_";
  }
}

std::string list_text(const Function& function, const std::vector<Operand>& operands, bool braces) {
  std::string text;
  for (const Operand& operand : operands) {
    if (!text.empty()) text += ", ";
    text += operand_text(function, operand);
  }
  return braces && operands.size() > 1 ? "{" + text + "}" : text;
}

std::string address_text(const Function& function, const Address& address) {
  std::string base = address.reg != kNone      ? register_name(function, address.reg)
                     : address.symbol != kNone ? fmt::format("symbol{}", address.symbol)
                                               : std::string();
  if (base.empty()) return fmt::format("[{}]", address.offset);
  return address.offset == 0 ? "[" + base + "]" : fmt::format("[{}{:+}]", base, address.offset);
}

}  // namespace

std::string print(const Function& function, const Instruction& instruction) {
  if (instruction.text_length != 0 && function.source != nullptr) {
    return squeeze(std::string_view(*function.source).substr(instruction.text_begin, instruction.text_length));
  }
  std::string text;
  if (instruction.guard) {
    text = (instruction.guard.negate ? "@!" : "@") + register_name(function, instruction.guard.reg) + " ";
  }
  if (instruction.op == Opcode::Unknown) return text + instruction.mods.extra + ";";
  text += info(instruction.op).mnemonic;
  text += suffixes(instruction);
  for (Type type : {instruction.type, instruction.type2, instruction.type3}) {
    if (type != Type::None) (text += '.') += name(type);
  }
  std::string operands = list_text(function, instruction.dst, true);
  const auto add = [&](const std::string& more) {
    if (more.empty()) return;
    if (!operands.empty()) operands += ", ";
    operands += more;
  };
  if (instruction.address) add(address_text(function, *instruction.address));
  if (instruction.address2) add(address_text(function, *instruction.address2));
  const bool stores_vector = instruction.op == Opcode::St && instruction.mods.vector > 1;
  add(list_text(function, instruction.src, stores_vector));
  if (instruction.op == Opcode::Call) {
    std::string results = list_text(function, instruction.call_results, false);
    if (!results.empty()) operands = "(" + results + "), " + operands;
    if (instruction.callee != kNone) add(fmt::format("function{}", instruction.callee));
    const std::string arguments = list_text(function, instruction.call_arguments, false);
    if (!arguments.empty()) add("(" + arguments + ")");
  }
  if (instruction.op == Opcode::Bra)
    add(instruction.target == kExit ? "exit" : fmt::format("block{}", instruction.target));
  return operands.empty() ? text + ";" : text + " " + operands + ";";
}

}  // namespace drywarp::ir
