// One instruction: opcode and suffixes decoded, operands looked up and sorted into destinations, sources and addresses.
#include "language/ir/build/builder.h"
#include "language/ir/build/expand_async_store.h"
#include "language/ir/build/expand_wmma.h"
#include "language/ir/build/immediates.h"
#include "language/ir/bulk_copies.h"
#include "language/ir/operand_forms.h"
#include "language/ir/special_registers.h"

namespace drywarp::ir {
namespace {

constexpr unsigned kMaxNesting = 8;  // of vectors and pairs in operands

bool is_constant(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::Integer || operand.kind == ptx::OperandKind::Float32 ||
         operand.kind == ptx::OperandKind::Float64;
}

Type untyped(unsigned width) {
  for (Type type : {Type::B8, Type::B16, Type::B32, Type::B64}) {
    if (bits(type) == width) return type;
  }
  return Type::B64;
}

}  // namespace

// A module has few different opcode texts and many instructions: each text is decoded once.
const DecodedOpcode& FunctionBuilder::decode(const ptx::Instruction& syntax) {
  const std::string_view text(syntax.opcode.data(),
                              size_t(syntax.suffixes.data() + syntax.suffixes.size() - syntax.opcode.data()));
  const auto found = decoded_.find(text);
  if (found != decoded_.end()) return found->second;
  const std::span<const std::string_view> words(owner_.tree.words.data() + syntax.words.first, syntax.words.count);
  return decoded_.emplace(text, decode_opcode(syntax.opcode, words, out_.is_kernel)).first->second;
}

bool FunctionBuilder::instruction(const ptx::Instruction& syntax) {
  prelude_.clear();
  Instruction out;
  out.text_begin = syntax.text_begin;
  out.text_length = syntax.text_end - syntax.text_begin;
  out.place = place_of(syntax.at);
  if (!guard(syntax, out) || !opcode_and_operands(syntax, out)) return false;
  for (Instruction& before : prelude_) {
    before.place = out.place;
    out_.instructions.push_back(std::move(before));
  }
  if (is_wmma(out.op) || is_async_store(out.op)) {
    std::vector<Instruction> parts = is_wmma(out.op) ? expand_wmma(out, owner_.module, out_) : expand_async_store(out);
    out_.instructions.insert(out_.instructions.end(), std::make_move_iterator(parts.begin()),
                             std::make_move_iterator(parts.end()));
    if (!parts.empty()) return true;
  }
  out_.instructions.push_back(std::move(out));
  return true;
}

bool FunctionBuilder::opcode_and_operands(const ptx::Instruction& syntax, Instruction& out) {
  if (syntax.is_directive) {
    out.op = Opcode::Unknown;
    for (uint32_t i = 0; i < syntax.words.count; ++i) {
      (out.mods.extra += '.') += owner_.tree.words[syntax.words.first + i];
    }
    return true;
  }
  const DecodedOpcode& decoded = decode(syntax);
  out.op = decoded.op;
  out.type = decoded.type;
  out.type2 = decoded.type2;
  out.type3 = decoded.type3;
  out.mods = decoded.mods;
  if (out.op == Opcode::Bra) return branch(syntax, out);
  if (out.op == Opcode::BrxIdx) return branch_index(syntax, out);
  if (out.op == Opcode::Call) return call(syntax, out);
  if (out.op == Opcode::BarrierCluster) return cluster_barrier(syntax, out);
  if (!info(out.op).runs) return loose_operands(syntax, out);
  if (!operands(syntax, out)) return false;
  // The sums are read and written.
  if (out.op == Opcode::WgmmaMmaAsync) out.src.insert(out.src.end(), out.dst.begin(), out.dst.end());
  return check_shape(syntax, out);
}

bool FunctionBuilder::guard(const ptx::Instruction& syntax, Instruction& out) {
  if (syntax.guard.empty()) return true;
  const Entity entity = find(syntax.guard);
  if (!entity) return fail(syntax.guard_at, "'" + std::string(syntax.guard) + "' is not declared");
  if (entity.kind != Entity::Kind::Register || out_.registers[entity.id].type != Type::Pred) {
    return fail(syntax.guard_at, "'" + std::string(syntax.guard) + "' is no predicate register");
  }
  out.guard = {entity.id, syntax.guard_negated};
  return true;
}

bool FunctionBuilder::operands(const ptx::Instruction& syntax, Instruction& out) {
  const ptx::Operand* list = operands_of(syntax.operands);
  bool want_destination = has_destination(out.op, out.mods.mode);
  const bool wants_address = operand_form(out.op).addresses != 0;
  for (uint32_t i = 0; i < syntax.operands.count; ++i) {
    const ptx::Operand& operand = list[i];
    const bool is_address = operand.kind == ptx::OperandKind::Address;
    // ld.global.u32 r, a[2]: an array's element without brackets around it.
    const bool bare_address = wants_address && !want_destination && !out.address &&
                              operand.kind == ptx::OperandKind::Name &&
                              find(operand.name).kind != Entity::Kind::Register;
    if (is_address && is_bulk(out.op)) {
      if (!address_values(operand, out)) return false;
    } else if (is_address || bare_address) {
      if (!address(operand, out)) return false;
    } else if (want_destination) {
      if (!destination(operand, out.dst, 0)) return false;
      want_destination = false;
    } else if (!sources(operand, out, 0)) {
      return false;
    }
  }
  return true;
}

bool FunctionBuilder::destination(const ptx::Operand& operand, std::vector<Operand>& out, unsigned depth) {
  if (operand.kind == ptx::OperandKind::Vector || operand.kind == ptx::OperandKind::Pair) {
    if (depth >= kMaxNesting) return fail(operand.at, "operand nested too deeply");
    const ptx::Operand* children = operands_of(operand.children);
    for (uint32_t i = 0; i < operand.children.count; ++i) {
      if (!destination(children[i], out, depth + 1)) return false;
    }
    return true;
  }
  if (operand.kind == ptx::OperandKind::Sink) {
    out.emplace_back().kind = Operand::Kind::Sink;
    return true;
  }
  if (operand.kind != ptx::OperandKind::Name) return fail(operand.at, "the destination must be a register");
  const Entity entity = find(operand.name);
  if (!entity) return undeclared(operand);
  if (entity.kind != Entity::Kind::Register)
    return fail(operand.at, "'" + std::string(operand.name) + "' is no register");
  return register_operands(operand, out, false);
}

// A register, a component of a vector register, or all components of one.
bool FunctionBuilder::register_operands(const ptx::Operand& operand, std::vector<Operand>& out, bool is_source) {
  const Entity entity = find(operand.name);
  const bool adds = operand.bits != 0;
  if (operand.indexed || (adds && (!is_source || entity.width > 1 || bits(out_.registers[entity.id].type) < 16))) {
    return fail(operand.at, "'" + std::string(operand.name) + "' is no array and no address");
  }
  Operand result;
  result.kind = Operand::Kind::Register;
  result.id = entity.id;
  result.negate = operand.invert || operand.minus;
  if (entity.width > 1) {
    if (operand.component.empty()) {
      for (unsigned i = 0; i < entity.width; ++i, ++result.id) out.push_back(result);
      return true;
    }
    constexpr std::string_view kComponents = "xyzwrgba";
    const size_t index =
        operand.component.size() == 1 ? kComponents.find(operand.component[0]) : std::string_view::npos;
    if (index == std::string_view::npos || index % 4 >= entity.width) {
      return fail(operand.at,
                  "'" + std::string(operand.name) + "' has no component '." + std::string(operand.component) + "'");
    }
    result.id += uint32_t(index % 4);
  } else if (!operand.component.empty()) {
    const bool part = operand.component.size() >= 2 && operand.component.size() <= 5 &&
                      (operand.component[0] == 'b' || operand.component[0] == 'h') &&
                      operand.component.find_first_not_of("01234567", 1) == std::string_view::npos;
    if (!part)
      return fail(operand.at,
                  "'" + std::string(operand.name) + "' has no component '." + std::string(operand.component) + "'");
    std::copy(operand.component.begin(), operand.component.end(), result.selector.begin());
  }
  if (adds) add_to_register(result, operand.bits);
  out.push_back(result);
  return true;
}

// %r1+4 as a value: an addition of its own before the instruction.
void FunctionBuilder::add_to_register(Operand& operand, uint64_t addend) {
  const Type type = out_.registers[operand.id].type;
  Instruction add;
  add.op = Opcode::Add;
  add.origin = Origin::Added;
  add.type = bits(type) == 64 ? Type::U64 : bits(type) == 32 ? Type::U32 : Type::U16;
  add.src = {operand, {}};
  add.src[1].kind = Operand::Kind::Immediate;
  add.src[1].bits = bits(type) == 64 ? addend : addend & ((uint64_t{1} << bits(type)) - 1);
  operand.id = RegisterId(out_.registers.size());
  out_.registers.push_back({out_.registers[add.src[0].id].name + "+" + std::to_string(int64_t(addend)), add.type});
  add.dst = {operand};
  prelude_.push_back(std::move(add));
}

bool FunctionBuilder::sources(const ptx::Operand& operand, Instruction& out, unsigned depth) {
  if (operand.kind != ptx::OperandKind::Vector && operand.kind != ptx::OperandKind::Pair) {
    return source(operand, source_type(out, out.src.size()), out.src);
  }
  if (depth >= kMaxNesting) return fail(operand.at, "operand nested too deeply");
  const ptx::Operand* children = operands_of(operand.children);
  // mov.b64 d, {a, b} packs pieces; mov.v2.b32 moves elements of the type.
  const bool packs = out.op == Opcode::Mov && out.mods.vector == 1 && operand.children.count != 0;
  const unsigned piece = packs ? bits(out.type) / operand.children.count : 0;
  for (uint32_t i = 0; i < operand.children.count; ++i) {
    const bool good = packs && children[i].kind != ptx::OperandKind::Vector
                          ? source(children[i], untyped(piece), out.src)
                          : sources(children[i], out, depth + 1);
    if (!good) return false;
  }
  return true;
}

bool FunctionBuilder::source(const ptx::Operand& operand, Type type, std::vector<Operand>& out) {
  if (operand.kind == ptx::OperandKind::Sink) {
    out.emplace_back().kind = Operand::Kind::Sink;
    return true;
  }
  if (is_constant(operand)) {
    Operand& result = out.emplace_back();
    result.kind = Operand::Kind::Immediate;
    result.bits = immediate_bits(operand, type);
    return true;
  }
  if (operand.kind == ptx::OperandKind::Name) return name(operand, out);
  return fail(operand.at, "operand that this instruction cannot have");
}

bool FunctionBuilder::name(const ptx::Operand& operand, std::vector<Operand>& out) {
  const Entity entity = find(operand.name);
  if (entity.kind == Entity::Kind::Register) return register_operands(operand, out, true);
  Operand result;
  if (entity.kind == Entity::Kind::None) {
    if (const auto special = find_special(operand.name, operand.component)) {
      result.kind = special->constant ? Operand::Kind::Immediate : Operand::Kind::Special;
      result.special = special->special;
      result.index = special->index;
      result.bits = special->value;
      out.push_back(result);
      return true;
    }
    if (operand.component.empty() && find_special(operand.name, "x")) {  // mov.v4.u32 {a, b, c, d}, %tid
      for (std::string_view component : {"x", "y", "z", "w"}) {
        ptx::Operand one = operand;
        one.component = component;
        if (!name(one, out)) return false;
      }
      return true;
    }
  }
  SymbolId symbol = entity.kind == Entity::Kind::Symbol ? entity.id : kNone;
  if (!entity) {
    if (const auto found = owner_.symbols.find(operand.name); found != owner_.symbols.end()) symbol = found->second;
  }
  if (symbol != kNone) {
    result.kind = Operand::Kind::Symbol;
    result.id = symbol;
    result.bits = operand.indexed ? operand.bits * owner_.element_size[symbol] : operand.bits;
    out.push_back(result);
    return true;
  }
  if (const auto found = owner_.functions.find(operand.name); !entity && found != owner_.functions.end()) {
    result.kind = Operand::Kind::Function;
    result.id = found->second;
    out.push_back(result);
    return true;
  }
  if (!entity) return undeclared(operand);
  return fail(operand.at, "'" + std::string(operand.name) + "' is a label, not a value");
}

namespace {
bool takes_coordinates(Opcode op) { return info(op).family == Family::Texture || info(op).family == Family::Surface; }
}  // namespace

bool FunctionBuilder::address(const ptx::Operand& operand, Instruction& out) {
  const bool bracketed = operand.kind == ptx::OperandKind::Address;
  const ptx::Operand* children = bracketed ? operands_of(operand.children) : &operand;
  const uint32_t count = bracketed ? operand.children.count : 1;
  if (count == 0) return fail(operand.at, "empty address");
  const ptx::Operand& base = children[0];
  Address result;
  if (base.kind == ptx::OperandKind::Integer) {
    result.offset = int64_t(base.bits);
  } else if (base.kind == ptx::OperandKind::Name) {
    const Entity entity = find(base.name);
    result.offset = int64_t(base.bits);
    if (entity.kind == Entity::Kind::Register) {
      if (base.indexed) return fail(base.at, "'" + std::string(base.name) + "' is no array");
      ptx::Operand plain = base;
      plain.bits = 0;
      std::vector<Operand> one;
      if (!register_operands(plain, one, true)) return false;
      if (one.size() != 1) return fail(base.at, "an address must be a single register");
      result.reg = one[0].id;
    } else {
      std::vector<Operand> one;
      ptx::Operand plain = base;
      if (!name(plain, one)) return false;
      if (one.size() != 1 || one[0].kind != Operand::Kind::Symbol) {
        return fail(base.at, "'" + std::string(base.name) + "' has no address");
      }
      result.symbol = one[0].id;
      result.offset = int64_t(one[0].bits);
      const AddressSpace space = owner_.module.symbols[result.symbol].space;
      const Family family = info(out.op).family;
      if (space == AddressSpace::ParamFunc && (family == Family::Load || family == Family::Store))
        out.mods.space = space;
    }
  } else {
    return fail(base.at, "operand that is no address");
  }
  if (bracketed && !operand.component.empty()) (out.mods.extra += '.') += operand.component;  // [a].unified
  if (!out.address) {
    out.address = result;
  } else if (!out.address2) {
    out.address2 = result;
  } else if (info(out.op).runs) {
    return fail(operand.at, "too many addresses");
  }
  for (uint32_t i = 1; i < count; ++i) {  // coordinates of a tensor or a texture
    if (info(out.op).runs && !takes_coordinates(out.op))
      return fail(children[i].at, "an address of this instruction has one part");
    if (!sources(children[i], out, 1)) return false;
  }
  return true;
}

// An address as a source: see bulk_copies.h.
bool FunctionBuilder::address_values(const ptx::Operand& operand, Instruction& out) {
  const ptx::Operand* children = operands_of(operand.children);
  for (uint32_t i = 0; i < operand.children.count; ++i)
    if (!sources(children[i], out, 1)) return false;
  return true;
}

bool FunctionBuilder::check_shape(const ptx::Instruction& syntax, const Instruction& out) {
  const OperandForm& want = operand_form(out.op);
  const size_t addresses = size_t(out.address.has_value()) + size_t(out.address2.has_value());
  const bool destination = has_destination(out.op, out.mods.mode);
  const size_t min_dst = destination ? std::max<size_t>(want.min_dst, 1) : 0;
  const bool good = out.dst.size() >= min_dst && (want.max_dst == kAny || out.dst.size() <= want.max_dst) &&
                    out.src.size() >= want.min_src && (want.max_src == kAny || out.src.size() <= want.max_src) &&
                    addresses >= want.addresses;
  if (good) return true;
  const std::string_view text = std::string_view(*owner_.tree.text).substr(syntax.text_begin, out.text_length);
  constexpr size_t kMost = 80;
  return fail(syntax.at, "wrong operands for '" + std::string(syntax.opcode) + std::string(syntax.suffixes) + "'",
              "in: " + std::string(text.substr(0, kMost)));
}

bool FunctionBuilder::label(std::string_view name, ptx::Position at, uint32_t& label) {
  const Entity entity = scopes_.find(name);
  if (entity.kind != Entity::Kind::Label) return fail(at, "label '" + std::string(name) + "' is not declared");
  label = entity.id;
  labels_[label].targeted = true;
  return true;
}

bool FunctionBuilder::branch(const ptx::Instruction& syntax, Instruction& out) {
  const ptx::Operand* list = operands_of(syntax.operands);
  if (syntax.operands.count != 1 || list[0].kind != ptx::OperandKind::Name) return fail(syntax.at, "bra needs a label");
  return label(list[0].name, list[0].at, out.target);
}

bool FunctionBuilder::branch_index(const ptx::Instruction& syntax, Instruction& out) {
  const ptx::Operand* list = operands_of(syntax.operands);
  if (syntax.operands.count != 2 || list[1].kind != ptx::OperandKind::Name) {
    return fail(syntax.at, "brx.idx needs an index and the name of a list of targets");
  }
  if (!source(list[0], Type::U32, out.src)) return false;
  const Entity entity = scopes_.find(list[1].name);
  if (entity.kind != Entity::Kind::Targets || owner_.tree.targets[entity.id].calls) {
    return fail(list[1].at, "'" + std::string(list[1].name) + "' is no list of branch targets");
  }
  const ptx::Range names = owner_.tree.targets[entity.id].names;
  for (uint32_t i = 0; i < names.count; ++i) {
    const ptx::Operand& target = owner_.tree.operands[names.first + i];
    if (!label(target.name, target.at, out.targets.emplace_back())) return false;
  }
  return true;
}

// Keeps the operands of an instruction that cannot run, if they can be looked up. Nothing about them is an error,
// because their rules are not known here.
bool FunctionBuilder::loose_operands(const ptx::Instruction& syntax, Instruction& out) {
  const std::optional<Diagnostic> before = owner_.problem;
  Instruction attempt = out;
  if (operands(syntax, attempt)) {
    out = std::move(attempt);
  } else {
    owner_.problem = before;
    prelude_.clear();
  }
  return true;
}

}  // namespace drywarp::ir
