// Loads, stores, atomics, asynchronous copies.
#include <algorithm>
#include <string>
#include <utility>

#include "model/sass/select/handlers.h"

namespace drywarp::sass::handlers {

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
// What ptxas puts before a release and behind an acquire: a barrier of memory, and an invalidation of the L1, which
// the device's scope needs alone.
bool is_wide(ir::Scope scope) { return scope == ir::Scope::Gpu || scope == ir::Scope::Sys; }
void before_release(Writer& write, const ir::Instruction& in) {
  if (in.mods.order != ir::Order::Release && in.mods.order != ir::Order::AcqRel) return;
  write.effect(Membar, {});
  if (!is_wide(in.mods.scope)) return;
  write.effect(Depbar, {});  // ERRBAR
  write.effect(Depbar, {});  // CGAERRBAR
}
void behind_acquire(Writer& write, const ir::Instruction& in) {
  if (in.mods.order != ir::Order::Acquire && in.mods.order != ir::Order::AcqRel) return;
  if (is_wide(in.mods.scope)) write.effect(Cctl, {});
}

constexpr unsigned kWidestAccess = 16;  // bytes per lane and instruction

// The register that a load for `destination` writes: PTX loads 32 bits into a register of 64, the machine does not.
Register loaded_into(Writer& write, Register destination, ir::Type type) {
  const bool extended = destination != kNone && write.words_of(destination) > words(type);
  return extended ? write.temporary(words(type)) : destination;
}
void extend(Writer& write, Register destination, Register loaded, ir::Type type) {
  if (loaded == destination) return;
  if (ir::is_signed(type))
    write.emit(Shf, destination, {Source::of(loaded), Source::immediate(31)},
               {.shift = Shift::RightArithmetic, .in_sequence = true});
  else
    write.copy(destination, Source::of(loaded));  // the high word is known to be zero
}

constexpr unsigned kWordBytes = 4;

// Small elements of a vector share registers, from which each is taken.
void take_parts(Writer& write, Operands& of, const ir::Instruction& in, Register whole, unsigned first,
                unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (const Register d = of.result(in, first + i); d != kNone)
      write.emit(Prmt, d, {Source::of(whole)}, {.from = in.type, .word = static_cast<uint8_t>(i)});
}
// The words of a vector of small elements: each PRMT adds an element.
Sources join_parts(Writer& write, Operands& of, const ir::Instruction& in, const Source& base, unsigned first,
                   unsigned count) {
  const unsigned in_word = kWordBytes / (ir::bits(in.type) / 8);
  Sources words{base};
  for (unsigned i = 0; i < count; ++i) {
    const Source part = of.source(in, first + i);
    const unsigned word = 1 + i / in_word;
    const Form form = in_word == 2 ? kPairOfHalves : kInSequence;
    words.set(word, i % in_word == 0 ? part : Source::of(write.value(Prmt, {words[word], part}, form)));
  }
  return words;
}

// ld.global.nc and ldu: ptxas moves them across stores.
bool is_read_only(const ir::Instruction& in) {
  return in.op == Opcode::Ldu || in.mods.extra.find(".nc") != std::string::npos;
}

}  // namespace

void load(Writer& write, Operands& of, const ir::Instruction& in) {
  const AddressSpace space = in.mods.space;
  const unsigned count = in.mods.vector, each = std::max(1u, ir::bits(in.type) / 8);
  if ((space == AddressSpace::Param || space == AddressSpace::Const) && in.address) {
    const ir::Address& a = *in.address;
    const bool parameter = space == AddressSpace::Param && a.symbol != ir::kNone && a.reg == ir::kNone;
    for (unsigned i = 0; i < count && i < std::max<size_t>(in.dst.size(), 1); ++i) {
      const Register d = of.result(in, i);
      if (d == kNone) continue;
      const ir::Symbol* symbol = a.symbol == ir::kNone ? nullptr : &of.module().symbols[a.symbol];
      const auto offset = static_cast<uint64_t>(a.offset) + i * each;
      if (parameter && symbol && each >= 4) {
        write.copy(d, Source::constant(kParameters + symbol->offset + offset, words(in.type)));
      } else if (space == AddressSpace::Const && symbol && each >= 4 && a.reg == ir::kNone) {
        write.copy(d, words_of(a.symbol, offset, static_cast<uint8_t>(words(in.type))));
      } else {
        const Register loaded = loaded_into(write, d, in.type);
        // LDC.64 is the widest.
        const Register second = each == kWordBytes && i % 2 == 0 && i + 1 < count ? of.result(in, i + 1) : kNone;
        const bool pair = second != kNone && loaded == d && write.words_of(second) == 1;
        Instruction& code = write.emit(Ldc, loaded, {a.reg != ir::kNone ? Source::of(a.reg) : Source{}});
        if (pair) code.destination.set(1, second);
        code.offset = static_cast<int64_t>(offset);
        code.space = AddressSpace::Const;
        if (each < kWordBytes && !ir::is_float(in.type)) code.form.type = in.type;
        code.bytes = static_cast<uint8_t>(pair ? 2 * each : each);
        code.takes_access = space == AddressSpace::Const;
        code.role = Role::Load;
        extend(write, d, loaded, in.type);
        i += pair;
      }
    }
    return;
  }
  if (space == AddressSpace::ParamFunc && of.slot(in.address, 0) != kNone) {
    for (unsigned i = 0; i < count; ++i)
      if (const Register d = of.result(in, i); d != kNone) write.copy(d, Source::of(of.slot(in.address, i * each)));
    return;
  }
  const SpaceForms form = forms(space);
  unsigned first = 0;
  while (first < count) {
    const unsigned take = std::min<unsigned>(count - first, std::max(1u, kWidestAccess / each));
    const unsigned bytes = take * each;
    const MemoryPlace place = of.place(in.address, space);
    const bool small = take > 1 && each < kWordBytes;
    const Register whole = small ? write.temporary(static_cast<uint8_t>(std::max(1u, bytes / kWordBytes))) : kNone;
    Instruction& out = write.emit(form.load, whole, {});
    for (unsigned i = 0; i < take && !small; ++i)
      out.destination.set(i, loaded_into(write, of.result(in, first + i), in.type));
    out.source.set(0, place.base);
    out.offset = place.offset + first * each;
    out.space = form.space;
    out.bytes = static_cast<uint8_t>(bytes);
    out.takes_access = first == 0;
    out.role = in.mods.order == ir::Order::Weak ? Role::Load : Role::Effect;
    out.read_only = is_read_only(in);
    if (each < kWordBytes && !small) out.form.type = in.type;
    const Destinations loaded = out.destination;  // emit() may move `out`
    if (small) take_parts(write, of, in, whole, first, take);
    for (unsigned i = 0; i < take && !small; ++i) extend(write, of.result(in, first + i), loaded[i], in.type);
    first += take;
  }
  behind_acquire(write, in);
}

void store(Writer& write, Operands& of, const ir::Instruction& in) {
  const SpaceForms form = forms(in.mods.space);
  before_release(write, in);
  const unsigned count = in.mods.vector, each = std::max(1u, ir::bits(in.type) / 8);
  if (in.mods.space == AddressSpace::ParamFunc && of.slot(in.address, 0) != kNone) {
    for (unsigned i = 0; i < count; ++i) write.copy(of.slot(in.address, i * each), of.source(in, i));
    return;
  }
  unsigned first = 0;
  while (first < count) {
    const unsigned take = std::min<unsigned>(count - first, std::max(1u, kWidestAccess / each));
    const unsigned bytes = take * each;
    const MemoryPlace place = of.place(in.address, in.mods.space);
    Sources operands{place.base};
    if (take > 1 && each < kWordBytes)
      operands = join_parts(write, of, in, place.base, first, take);
    else
      for (unsigned i = 0; i < take; ++i) operands.set(1 + i, of.source(in, first + i));
    Instruction& out = write.effect(form.store, {});
    out.source = std::move(operands);
    out.offset = place.offset + first * each;
    out.space = form.space;
    out.bytes = static_cast<uint8_t>(bytes);
    out.takes_access = first == 0;
    first += take;
  }
}

namespace {

// The sum of one half: a compare-and-swap of its word, an iteration of the loop. (Lanes at both halves of a word need
// two, which is not modelled.)
void add_half(Writer& write, Operands& of, const ir::Instruction& in) {
  const SpaceForms form = forms(in.mods.space);
  const MemoryPlace place = of.place(in.address, in.mods.space);
  Source at = place.base;
  if (place.offset != 0) {
    const Register sum = write.temporary(2);
    write.wide(Iadd3, sum, {at, Source::immediate(static_cast<uint64_t>(place.offset))});
    at = Source::of(sum);
  }
  const Register word = write.temporary(2), old = write.temporary(), got = write.temporary();
  write.wide(Lop3, word, {at, Source::immediate(~uint64_t{kWordBytes / 2})}, {.table = kAnd});
  const Register upper = write.value(Lop3, {at, Source::immediate(kWordBytes / 2)}, kInSequence);
  const Register first = write.predicate(), again = write.predicate();
  write.emit(Isetp, first, {Source::of(upper), Source::immediate(0)}, kInSequence);
  const Register halves = write.value(Sel, {Source::immediate(0x3254), Source::immediate(0x7610), Source::of(first)});
  const auto touch = [&](Instruction& code) {
    code.space = form.space;
    code.bytes = kWordBytes;
    code.takes_access = true;
  };
  touch(write.emit(form.load, old, {Source::of(word)}));
  write.last().role = Role::Effect;
  write.effect(Bssy, {});
  const Register sum = write.value(Hadd2, {Source::of(old), of.source(in, 0)}, kInSequence);
  const Register next = write.value(Prmt, {Source::of(old), Source::of(halves), Source::of(sum)}, kInSequence);
  Instruction& swap = write.effect(form.atomic, {Source::of(word), Source::of(old), Source::of(next)});
  swap.destination.set(0, got);
  touch(swap);
  write.emit(Isetp, again, {Source::of(got), Source::of(old)}, kInSequence);
  write.effect(Mov, {Source::of(got)}).destination.set(0, write.temporary());
  write.effect(Bra, {Source::of(again)});
  write.effect(Bsync, {});
  if (of.result(in) != kNone) write.emit(Shf, of.result(in), {Source::of(got), Source::of(upper)}, kInSequence);
}

}  // namespace

void atomic(Writer& write, Operands& of, const ir::Instruction& in) {
  if (adds_half(in)) {
    before_release(write, in);
    add_half(write, of, in);
    return behind_acquire(write, in);
  }
  const Register d = of.result(in);
  const SpaceForms form = forms(in.mods.space);
  const bool shared = form.space == AddressSpace::Shared;
  const MemoryPlace place = of.place(in.address, in.mods.space);
  const Source a = of.source(in, 0), b = of.source(in, 1);
  const auto bytes = static_cast<uint8_t>(std::max(1u, ir::bits(in.type) / 8));
  auto touch = [&](Instruction& code) {
    code.offset = place.offset;
    code.space = form.space;
    code.bytes = bytes;
  };
  before_release(write, in);
  if (is_swap_loop(in)) {  // one iteration of it
    write.effect(Bssy, {});
    const Register old = write.temporary(words(in.type)), sum = write.temporary(words(in.type)),
                   got = write.temporary(words(in.type));
    touch(write.emit(Lds, old, {place.base}));
    write.last().role = Role::Effect;
    const bool wide = words(in.type) > 1;
    Source changed = Source::of(sum);
    if (ir::is_float(in.type)) {
      write.emit(wide ? Dadd : Fadd, sum, {Source::of(old), a}, kInSequence);
    } else if (swaps_rarely(in)) {
      const Register stays = write.predicate();
      write.emit(Isetp, stays, {Source::of(old), a}, kInSequence).wide = wide;
      write.effect(Bra, {Source::of(stays)});
      changed = a;
    } else {
      write.emit(in.mods.atom == ir::AtomOp::Add ? Iadd3 : Lop3, sum, {Source::of(old), a}, kInSequence).wide = wide;
    }
    Instruction& swap = write.effect(Atoms, {place.base, Source::of(old), changed});
    swap.destination.set(0, got);
    touch(swap);
    swap.takes_access = true;
    const Register p = write.predicate();
    write
        .emit(Isetp, p, {Source::of(got), Source::of(old)},
              {.type = in.type, .compare = ir::Compare::Ne, .in_sequence = true})
        .wide = wide;
    write.effect(Bra, {Source::of(p)});
    write.effect(Bsync, {});
    if (d != kNone) write.copy(d, Source::of(old));
    return;
  }
  const bool leaves = adds_at_generic(in);
  const Operation op = !leaves && (in.op == Opcode::Red || d == kNone) ? (shared ? Atoms : Red) : form.atomic;
  Instruction& code = write.effect(op, {place.base, a, b});
  code.destination.set(0, d);
  touch(code);
  code.takes_access = true;
  if (leaves) {  // The rest, for shared and local memory, is not modelled.
    const Register global = write.predicate();
    code.destination.set(1, global);
    write.effect(Bssy, {});
    write.effect(Bra, {Source::of(global)});
    write.effect(Bsync, {});
  }
  behind_acquire(write, in);
}

void async_copy(Writer& write, Operands& of, const ir::Instruction& in) {
  // st.async and red.async: the store and the barrier object's step behind this are what takes time, as they would
  // alone. What the one machine instruction of a GPU takes is not measured.
  if (in.origin == ir::Origin::Expanded) return;
  if (in.op == Opcode::CpAsync && in.address && in.address2) {
    const MemoryPlace to = of.place(in.address, AddressSpace::Shared),
                      from = of.place(in.address2, AddressSpace::Global);
    Instruction& code = write.effect(Ldgsts, {to.base, from.base});
    code.offset = from.offset;
    code.space = AddressSpace::Global;
    code.bytes = static_cast<uint8_t>(in.src.empty() ? 16 : in.src[0].bits);
    code.takes_access = true;
    return;
  }
  if (in.op == Opcode::CpAsyncMbarrierArrive && in.address) {
    const MemoryPlace at = of.place(in.address, AddressSpace::Shared);
    Instruction& code = write.effect(Syncs, {at.base});
    code.offset = at.offset;
    code.space = AddressSpace::Shared;
    code.bytes = 8;
    return;
  }
  if (in.op != Opcode::CpAsyncWaitGroup) write.effect(Ldgdepbar, {});
  if (in.op != Opcode::CpAsyncCommitGroup) write.effect(Depbar, {});
}

}  // namespace drywarp::sass::handlers
