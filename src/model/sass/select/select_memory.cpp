// Loads, stores, atomics, asynchronous copies.
#include <algorithm>

#include "model/sass/select/selector.h"

namespace drywarp::sass {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

namespace {

struct SpaceForms {
  AddressSpace space;
  Operation load, store, atomic;
};
SpaceForms forms(AddressSpace space) {
  switch (space) {
    case AddressSpace::Global:
      return {AddressSpace::Global, Ldg, Stg, Atomg};
    case AddressSpace::Shared:
    case AddressSpace::SharedCluster:
      return {AddressSpace::Shared, Lds, Sts, Atoms};
    case AddressSpace::Local:
    case AddressSpace::ParamFunc:
      return {AddressSpace::Local, Ldl, Stl, Atomg};
    case AddressSpace::Const:
    case AddressSpace::Param:
      return {AddressSpace::Const, Ldc, Stl, Atomg};
    default:
      return {AddressSpace::Generic, Ld, St, Atomg};
  }
}
constexpr unsigned kWidestAccess = 16;  // bytes per lane and instruction

}  // namespace

void Selector::address(Instruction& code, const ir::Address& a, AddressSpace space) {
  code.offset = a.offset;
  if (a.reg != ir::kNone) {
    code.source[0] = Source::of(a.reg);
    return;
  }
  if (a.symbol == ir::kNone) return;
  // symbol_address() may emit, which invalidates references into the block: callers pass a copy.
  const ir::Symbol& symbol = kernel_.module->symbols[a.symbol];
  if (symbol.space == AddressSpace::Local || symbol.space == AddressSpace::ParamFunc) {
    code.offset += static_cast<int64_t>(symbol.offset);  // from the stack pointer
    return;
  }
  const Source base = symbol_address(a.symbol, 0, space == AddressSpace::Generic);
  if (base.is_immediate())
    code.offset += static_cast<int64_t>(base.value);
  else
    code.source[0] = base;
}

void Selector::load(const ir::Instruction& in) {
  const AddressSpace space = in.mods.space;
  const unsigned count = in.mods.vector, each = std::max(1u, ir::bits(in.type) / 8);
  if ((space == AddressSpace::Param || space == AddressSpace::Const) && in.address) {
    const ir::Address& a = *in.address;
    const bool parameter = space == AddressSpace::Param && a.symbol != ir::kNone && a.reg == ir::kNone;
    for (unsigned i = 0; i < count && i < std::max<size_t>(in.dst.size(), 1); ++i) {
      const Register d = result(in, i);
      if (d == kNone) continue;
      const ir::Symbol* symbol = a.symbol == ir::kNone ? nullptr : &kernel_.module->symbols[a.symbol];
      const auto offset = static_cast<uint64_t>(a.offset) + i * each;
      if (parameter && symbol && each >= 4) {
        copy(d, Source::constant(kParameters + symbol->offset + offset, words(in.type)));
      } else if (space == AddressSpace::Const && symbol && each >= 4 && a.reg == ir::kNone) {
        copy(d, Source::constant(kOtherBanks * 2 + a.symbol * 65536ull + offset, words(in.type)));
      } else {
        const Register loaded = loaded_into(d, in.type);
        Instruction& code = emit(Ldc, loaded, {a.reg != ir::kNone ? Source::of(a.reg) : Source{}});
        code.offset = static_cast<int64_t>(offset);
        code.space = AddressSpace::Const;
        code.bytes = static_cast<uint8_t>(each);
        code.takes_access = i == 0 && space == AddressSpace::Const;
        code.role = Role::Load;
        extend(d, loaded, in.type);
      }
    }
    return;
  }
  const SpaceForms form = forms(space);
  unsigned first = 0;
  while (first < count) {
    const unsigned take = std::min<unsigned>(count - first, std::max(1u, kWidestAccess / each));
    const unsigned bytes = take * each;
    Instruction code;
    if (in.address) address(code, *in.address, space);
    code.offset += first * each;
    Instruction& out = emit(form.load, kNone, {});
    for (unsigned i = 0; i < take && i < out.destination.size(); ++i)
      out.destination[i] = loaded_into(result(in, first + i), in.type);
    out.source[0] = code.source[0];
    out.offset = code.offset;
    out.space = form.space;
    out.bytes = static_cast<uint8_t>(bytes);
    out.takes_access = first == 0;
    out.role = in.mods.order == ir::Order::Weak ? Role::Load : Role::Effect;
    const auto loaded = out.destination;  // emit() may move `out`
    for (unsigned i = 0; i < take && i < loaded.size(); ++i) extend(result(in, first + i), loaded[i], in.type);
    first += take;
  }
}

// The register that a load for `destination` writes: PTX loads 32 bits into a register of 64, the machine does not.
Register Selector::loaded_into(Register destination, ir::Type type) {
  const bool extended = destination != kNone && kernel_.registers[destination].words > words(type);
  return extended ? temporary(words(type)) : destination;
}
void Selector::extend(Register destination, Register loaded, ir::Type type) {
  if (loaded == destination) return;
  if (ir::is_signed(type))
    emit(Shf, destination, {Source::of(loaded), Source::immediate(31)},
         {.shift = Shift::RightArithmetic, .in_sequence = true});
  else
    copy(destination, Source::of(loaded));  // the high word is known to be zero
}

void Selector::store(const ir::Instruction& in) {
  const SpaceForms form = forms(in.mods.space);
  const unsigned count = in.mods.vector, each = std::max(1u, ir::bits(in.type) / 8);
  unsigned first = 0;
  while (first < count) {
    const unsigned take = std::min<unsigned>(count - first, std::max(1u, kWidestAccess / each));
    const unsigned bytes = take * each;
    Instruction code;
    if (in.address) address(code, *in.address, in.mods.space);
    std::array<Source, 4> parts{};
    for (unsigned i = 0; i < take && i < parts.size(); ++i) parts[i] = source(in, first + i);
    Instruction& out = effect(form.store, {});
    out.source[0] = code.source[0];
    for (unsigned i = 0; i < parts.size(); ++i) out.source[1 + i] = parts[i];
    out.offset = code.offset + first * each;
    out.space = form.space;
    out.bytes = static_cast<uint8_t>(bytes);
    out.takes_access = first == 0;
    first += take;
  }
}

void Selector::atomic(const ir::Instruction& in) {
  const Register d = result(in);
  const SpaceForms form = forms(in.mods.space);
  const bool shared = form.space == AddressSpace::Shared;
  Instruction place;
  if (in.address) address(place, *in.address, in.mods.space);
  const Source a = source(in, 0), b = source(in, 1);
  const auto bytes = static_cast<uint8_t>(std::max(1u, ir::bits(in.type) / 8));
  auto touch = [&](Instruction& code) {
    code.offset = place.offset;
    code.space = form.space;
    code.bytes = bytes;
  };
  // Shared memory has no floating-point atomics: a compare-and-swap loop, written for its usual single iteration.
  const bool loop = shared && ir::is_float(in.type) && in.mods.atom == ir::AtomOp::Add;
  if (loop) {
    effect(Bssy, {});
    const Register old = temporary(words(in.type)), sum = temporary(words(in.type)), got = temporary(words(in.type));
    touch(emit(Lds, old, {place.source[0]}));
    block_->code.back().role = Role::Effect;
    emit(in.type == Type::F64 ? Dadd : Fadd, sum, {Source::of(old), a}, kInSequence);
    Instruction& swap = effect(Atoms, {place.source[0], Source::of(old), Source::of(sum)});
    swap.destination[0] = got;
    touch(swap);
    swap.takes_access = true;
    const Register p = predicate();
    emit(Isetp, p, {Source::of(got), Source::of(old)},
         {.type = in.type, .compare = ir::Compare::Ne, .in_sequence = true})
        .wide = in.type == Type::F64;
    effect(Bra, {Source::of(p)});
    effect(Bsync, {});
    if (d != kNone) copy(d, Source::of(old));
    return;
  }
  const Operation op = in.op == Opcode::Red || d == kNone ? (shared ? Atoms : Red) : form.atomic;
  Instruction& code = effect(op, {place.source[0], a, b});
  code.destination[0] = d;
  touch(code);
  code.takes_access = true;
}

void Selector::async_copy(const ir::Instruction& in) {
  if (in.op == Opcode::CpAsync && in.address && in.address2) {
    Instruction to, from;
    address(to, *in.address, AddressSpace::Shared);
    address(from, *in.address2, AddressSpace::Global);
    Instruction& code = effect(Ldgsts, {to.source[0], from.source[0]});
    code.offset = from.offset;
    code.space = AddressSpace::Global;
    code.bytes = static_cast<uint8_t>(in.src.empty() ? 16 : in.src[0].bits);
    code.takes_access = true;
    return;
  }
  effect(Depbar, {});
}

}  // namespace drywarp::sass
