// Loads, stores, atomics, barriers, exchange between lanes, control flow.
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
        Instruction& code = emit(Ldc, d, {a.reg != ir::kNone ? Source::of(a.reg) : Source{}},
                                 static_cast<uint32_t>(offset + (a.symbol == ir::kNone ? 0 : a.symbol * 4096)));
        code.space = AddressSpace::Const;
        code.bytes = static_cast<uint8_t>(each);
        code.takes_access = i == 0 && space == AddressSpace::Const;
        code.role = Role::Load;
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
    Instruction& out =
        emit(form.load, kNone, {}, static_cast<uint32_t>(in.mods.order) << 8 | static_cast<uint32_t>(in.type));
    for (unsigned i = 0; i < take && i < out.destination.size(); ++i) out.destination[i] = result(in, first + i);
    out.source[0] = code.source[0];
    out.offset = code.offset;
    out.space = form.space;
    out.bytes = static_cast<uint8_t>(bytes);
    out.takes_access = first == 0;
    out.role = in.mods.order == ir::Order::Weak ? Role::Load : Role::Effect;
    first += take;
  }
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
    Instruction& out = effect(form.store, {}, static_cast<uint32_t>(in.type));
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
    effect(Bssy, {}, 5);
    const Register old = temporary(words(in.type)), sum = temporary(words(in.type)), got = temporary(words(in.type));
    touch(emit(Lds, old, {place.source[0]}, 60));
    block_->code.back().role = Role::Effect;
    emit(in.type == Type::F64 ? Dadd : Fadd, sum, {Source::of(old), a}, 61);
    Instruction& swap = effect(Atoms, {place.source[0], Source::of(old), Source::of(sum)}, 62);
    swap.destination[0] = got;
    touch(swap);
    swap.takes_access = true;
    const Register p = predicate();
    emit(Isetp, p, {Source::of(got), Source::of(old)}, 63).wide = in.type == Type::F64;
    effect(Bra, {Source::of(p)}, 5);
    effect(Bsync, {}, 5);
    if (d != kNone) copy(d, Source::of(old));
    return;
  }
  const Operation op = in.op == Opcode::Red || d == kNone ? (shared ? Atoms : Red) : form.atomic;
  Instruction& code = effect(op, {place.source[0], a, b}, static_cast<uint32_t>(in.mods.atom));
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
  effect(Depbar, {}, static_cast<uint32_t>(in.op));
}

void Selector::barrier(const ir::Instruction& in) {
  Instruction& code = effect(Bar, {source(in, 0, Type::U32), source(in, 1, Type::U32), source(in, 2, Type::Pred)},
                             static_cast<uint32_t>(in.mods.mode));
  if (result(in) != kNone) code.destination[0] = result(in);
}

void Selector::warp_sync(const ir::Instruction& in) {
  const Source mask = source(in, 0, Type::U32);
  effect(Warpsync, {mask});
}

void Selector::fence(const ir::Instruction& in) {
  if (in.op == Opcode::FenceProxy) {
    effect(Membar, {}, 9);
    return;
  }
  effect(Membar, {}, static_cast<uint32_t>(in.mods.scope));
  if (in.mods.scope == ir::Scope::Gpu || in.mods.scope == ir::Scope::Sys) {
    effect(Depbar, {}, 100);  // ERRBAR
    effect(Cctl, {}, 100);    // invalidates the L1
  }
}

void Selector::exchange(const ir::Instruction& in) {
  const Register d = result(in);
  switch (in.op) {
    case Opcode::Shfl: {
      const Source mask = source(in, 3, Type::U32);
      if (mask.is_register()) effect(Warpsync, {mask}, kBeforeExchange);
      Instruction& code = effect(Shfl, {source(in, 0), source(in, 1, Type::U32), source(in, 2, Type::U32)},
                                 static_cast<uint32_t>(in.mods.mode));
      code.destination[0] = d;
      code.destination[1] = result(in, 1);
      return;
    }
    case Opcode::Redux: {
      Instruction& code = effect(Redux, {source(in, 0)}, static_cast<uint32_t>(in.mods.mode));
      const Register uniform = temporary(1, RegisterFile::Uniform);
      code.destination[0] = uniform;
      emit(Mov, d, {Source::of(uniform)}, 70);
      return;
    }
    case Opcode::Match: {
      Instruction& code = effect(Match, {source(in, 0)}, static_cast<uint32_t>(in.mods.mode));
      code.destination[0] = d;
      return;
    }
    default: {  // vote, activemask, elect
      const Source mask = source(in, 1, Type::U32);
      if (in.op == Opcode::Vote && mask.is_register()) effect(Warpsync, {mask}, kBeforeExchange);
      Instruction& code = effect(Vote, {source(in, 0, Type::Pred)}, static_cast<uint32_t>(in.mods.mode));
      code.destination[0] = d;
      return;
    }
  }
}

void Selector::control(const ir::Instruction& in) {
  switch (in.op) {
    case Opcode::Bra: {
      if (in.origin == ir::Origin::InlinedRet) {
        if (!in.guard) return;
      }
      Instruction& code = emit(Bra, kNone, {});
      code.role = Role::Branch;
      return;
    }
    case Opcode::Ret:
    case Opcode::Exit: {
      Instruction& code = emit(function_.is_kernel || in.op == Opcode::Exit ? Exit : Ret, kNone, {});
      code.role = Role::Branch;
      return;
    }
    case Opcode::BrxIdx: {
      const Register at = temporary();
      const Register scaled = value(Imad, {source(in, 0, Type::U32), Source::immediate(4)}, 80);
      Instruction& table = emit(Ldc, at, {Source::of(scaled)}, 81);
      table.space = AddressSpace::Const;
      table.bytes = 4;
      const Register sign = value(Shf, {Source::of(at), Source::immediate(31)}, 3);
      Instruction& code = emit(Brx, kNone, {Source::of(at), Source::of(sign)});
      code.role = Role::Branch;
      return;
    }
    case Opcode::Call: {
      if (in.origin == ir::Origin::InlinedCall) return;
      // Arguments in registers from R4 on, the return address, the call.
      for (const ir::Operand& argument : in.call_arguments) effect(Mov, {source(argument, Type::B32)}, 90);
      effect(Mov, {}, 91).destination[0] = temporary(2);
      effect(Call, {in.src.empty() ? Source{} : source(in, 0, Type::U64)});
      for (const ir::Operand& r : in.call_results)
        if (r.kind == ir::Operand::Kind::Register) effect(Mov, {}, 92).destination[0] = r.id;
      return;
    }
    case Opcode::Trap:
    case Opcode::Brkpt: {
      Instruction& code = emit(Bpt, kNone, {});
      code.role = in.op == Opcode::Trap ? Role::Branch : Role::Effect;
      return;
    }
    default:
      return;
  }
}

void Selector::mbarrier(const ir::Instruction& in) {
  Instruction place;
  if (in.address) address(place, *in.address, AddressSpace::Shared);
  const bool waits = in.op == Opcode::MbarrierTestWait || in.op == Opcode::MbarrierTryWait;
  Instruction& code = effect(Atoms, {place.source[0], source(in, 0, Type::U64)}, static_cast<uint32_t>(in.op));
  code.destination[0] = result(in);
  code.offset = place.offset;
  code.space = AddressSpace::Shared;
  code.bytes = 8;
  if (waits) code.op = Lds;
}

void Selector::matrix(const ir::Instruction& in) {
  const bool moves = in.op == Opcode::Ldmatrix || in.op == Opcode::Stmatrix || in.op == Opcode::WmmaLoad;
  Instruction& code = effect(moves ? Ldsm : Hmma, {source(in, 0), source(in, 1), source(in, 2)});
  for (size_t i = 0; i < in.dst.size(); ++i) {
    if (i == 0) {
      code.destination[0] = result(in);
    } else if (result(in, i) != kNone) {
      effect(Mov, {}, 93).destination[0] = result(in, i);
      block_->code.back().role = Role::Tuple;
    }
  }
}

void Selector::texture(const ir::Instruction& in) {
  Instruction& code = effect(ir::info(in.op).family == ir::Family::Surface ? Suld : Tex, {source(in, 0)});
  code.destination[0] = result(in);
  for (size_t i = 1; i < in.dst.size(); ++i)
    if (result(in, i) != kNone) {
      Instruction& part = emit(Mov, result(in, i), {}, 100 + static_cast<uint32_t>(i));
      part.role = Role::Tuple;
    }
}

void Selector::move(const ir::Instruction& in) {
  if (in.op == Opcode::Alloca || in.op == Opcode::Stacksave || in.op == Opcode::Stackrestore) {
    effect(Iadd3, {source(in, 0)}, 95).destination[0] = result(in);
    return;
  }
  if (in.op == Opcode::Cvta) {
    // A shared or local address becomes generic by adding the window's base; global addresses are generic.
    const AddressSpace space = in.mods.space;
    const bool windowed = space == AddressSpace::Shared || space == AddressSpace::Local;
    if (!windowed) return copy(result(in), source(in, 0));
    if (in.mods.to) {
      copy(result(in), source(in, 0));
      return;
    }
    Instruction& code =
        emit(Iadd3, result(in), {source(in, 0), Source::constant(space == AddressSpace::Shared ? 0x18 : 0x20, 2)}, 96);
    code.wide = true;
    return;
  }
  if (in.dst.size() > 1) {  // unpack
    const Source whole = source(in, 0);
    for (size_t i = 0; i < in.dst.size(); ++i) {
      if (result(in, i) == kNone) continue;
      const bool halves = ir::bits(function_.registers[result(in, i)].type) < 32;
      Instruction& code = emit(halves ? Prmt : Mov, result(in, i), {whole}, 100 + static_cast<uint32_t>(i));
      if (!halves) code.role = Role::Tuple;
    }
    return;
  }
  if (in.src.size() > 1) {  // pack
    const bool halves = ir::bits(in.type) == 32;
    std::array<Source, 6> parts{};
    for (size_t i = 0; i < in.src.size() && i < 4; ++i) parts[i] = source(in, i);
    Instruction& code = emit(halves ? Prmt : Mov, result(in), {}, 200);
    if (!halves) code.role = Role::Tuple;
    code.source = parts;
    return;
  }
  const Register d = result(in);
  const Source from = source(in, 0);
  if (d != kNone) copy(d, from);
}

void Selector::video(const ir::Instruction& in) {
  const Source a = source(in, 0, Type::B32), b = source(in, 1, Type::B32);
  const Register first = value(Prmt, {a}, 97), second = value(Prmt, {b}, 97);
  const bool selects = in.op == Opcode::Vmin || in.op == Opcode::Vmax;
  emit(selects                 ? Imnmx
       : in.op == Opcode::Vmad ? Imad
                               : Iadd3,
       result(in), {Source::of(first), Source::of(second), source(in, 2, Type::B32)}, 98);
}

void Selector::other(const ir::Instruction& in) {
  switch (in.op) {
    case Opcode::Nanosleep:
      effect(Nanosleep, {source(in, 0, Type::U32)});
      return;
    case Opcode::Prefetch:
    case Opcode::Prefetchu:
    case Opcode::Applypriority:
    case Opcode::Discard: {
      Instruction place;
      if (in.address) address(place, *in.address, in.mods.space);
      effect(Cctl, {place.source[0]});
      return;
    }
    default:
      if (result(in) != kNone) effect(Mov, {source(in, 0)}, 99).destination[0] = result(in);
  }
}

}  // namespace drywarp::sass
