// Barriers, exchange between lanes, control flow, moves, and what has no family of its own.
#include <algorithm>
#include <utility>

#include "model/sass/select/handlers.h"
#include "model/sass/select/library_functions.h"

namespace drywarp::sass::handlers {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

namespace {

// As in ptxas's code for sm_90: a release waits for memory, as for the whole device; an acquire invalidates the L1.
void cluster_barrier(Writer& write, const ir::Instruction& in) {
  if (in.mods.mode == ir::Mode::BarArrive) {
    if (in.mods.order == ir::Order::Release) {
      write.effect(Membar, {});
      write.effect(Depbar, {});  // ERRBAR
      write.effect(Depbar, {});  // CGAERRBAR
    }
    write.effect(Depbar, {});  // UCGABAR_ARV
    return;
  }
  write.effect(Bar, {}, {.mode = in.mods.mode});  // UCGABAR_WAIT
  write.effect(Cctl, {});
}

}  // namespace

void barrier(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.mods.scope == ir::Scope::Cluster) return cluster_barrier(write, in);
  Instruction& code =
      write.effect(Bar, {of.source(in, 0, Type::U32), of.source(in, 1, Type::U32), of.source(in, 2, Type::Pred)},
                   {.mode = in.mods.mode});
  if (of.result(in) != kNone) code.destination.set(0, of.result(in));
}

void warp_sync(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source mask = of.source(in, 0, Type::U32);
  write.effect(Warpsync, {mask});
}

void fence(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.op == Opcode::FenceProxy) {
    write.effect(Membar, {});
    return;
  }
  write.effect(Membar, {});
  if (in.mods.scope == ir::Scope::Gpu || in.mods.scope == ir::Scope::Sys) {
    write.effect(Depbar, {});  // ERRBAR
    write.effect(Depbar, {});  // CGAERRBAR
    write.effect(Cctl, {});    // invalidates the L1
  }
}

void exchange(Writer& write, Operands& of, const ir::Instruction& in) {
  const Register d = of.result(in);
  switch (in.op) {
    case Opcode::Shfl: {
      const Source mask = of.source(in, 3, Type::U32);
      if (mask.is_register()) write.effect(Warpsync, {mask}).for_exchange = true;
      Instruction& code = write.effect(
          Shfl, {of.source(in, 0), of.source(in, 1, Type::U32), of.source(in, 2, Type::U32)}, {.mode = in.mods.mode});
      code.destination.set(0, d);
      code.destination.set(1, of.result(in, 1));
      return;
    }
    case Opcode::Movmatrix:
      write.effect(Movm, {of.source(in, 0, Type::U32)}).destination.set(0, d);
      return;
    case Opcode::Redux: {
      Instruction& code = write.effect(Redux, {of.source(in, 0)}, {.mode = in.mods.mode});
      const Register uniform = write.temporary(1, RegisterFile::Uniform);
      code.destination.set(0, uniform);
      write.emit(Mov, d, {Source::of(uniform)});
      return;
    }
    case Opcode::Match: {
      Instruction& code = write.effect(Match, {of.source(in, 0)}, {.mode = in.mods.mode});
      code.destination.set(0, d);
      return;
    }
    default: {  // vote, activemask, elect
      const Source mask = of.source(in, 1, Type::U32);
      if (in.op == Opcode::Vote && mask.is_register()) write.effect(Warpsync, {mask}).for_exchange = true;
      Instruction& code = write.effect(Vote, {of.source(in, 0, Type::Pred)}, {.mode = in.mods.mode});
      code.destination.set(0, d);
      return;
    }
  }
}

namespace {

// Read from ptxas 13's code for sm_90. A function whose call the program inlines nowhere is called directly: two moves
// make the return address, of which the function does one itself. Functions of the system are called by an address in a
// constant bank; those behind a pointer by their entry in a table there, within a convergence barrier, since lanes may
// call different ones.
void call(Writer& write, Operands& of, const ir::Instruction& in) {
  constexpr uint8_t kReturnAddress = 2;  // registers
  const auto return_address = [&] { write.effect(Mov, {}).destination.set(0, write.temporary()); };
  return_address(), return_address();
  if (in.origin == ir::Origin::InlinedCall) {
    write.effect(Call, {}).clobbers = kReturnAddress;
    return;
  }
  const auto load_target = [&](Source of_table) {
    const Register target = write.temporary(2);
    Instruction& load = write.effect(Ldc, {of_table});
    load.destination.set(0, target);
    load.space = AddressSpace::Const;
    load.bytes = 8;
    return Source::of(target);
  };
  Source target;
  const bool indirect = in.callee == ir::kNone;
  if (indirect) {
    write.effect(Bssy, {});
    target = load_target(of.source(in, 0, Type::U64));
  } else if (of.module().functions[in.callee].is_declaration) {
    target = load_target({});
  }
  Sources given{target};
  size_t at = 1;
  for (const ir::Operand& argument : in.call_arguments) {
    if (argument.kind != ir::Operand::Kind::Symbol) {
      given.set(at++, of.source(argument, Type::B32));
      continue;
    }
    for (const Register r : of.slots(argument.id)) given.set(at++, Source::of(r));
  }
  Instruction& code = write.effect(indirect ? CallPointer : Call, {});
  if (!indirect) code.system = machine::system_call(of.module().functions[in.callee].name);
  code.source = std::move(given);
  at = 0;
  for (const ir::Operand& r : in.call_results) {
    if (r.kind == ir::Operand::Kind::Register) code.destination.set(at++, r.id);
    if (r.kind != ir::Operand::Kind::Symbol) continue;
    for (const Register slot : of.slots(r.id)) code.destination.set(at++, slot);
  }
}

}  // namespace

void control(Writer& write, Operands& of, const ir::Instruction& in) {
  switch (in.op) {
    case Opcode::Bra: {
      if (in.origin == ir::Origin::InlinedRet) write.effect(Ret, {});
      if (in.origin == ir::Origin::InlinedRet && !in.guard) return;
      Instruction& code = write.emit(Bra, kNone, {});
      code.role = Role::Branch;
      return;
    }
    case Opcode::Ret:
    case Opcode::Exit: {
      const bool ends = of.function().is_kernel || in.op == Opcode::Exit;
      Instruction& code = write.emit(ends ? Exit : Ret, kNone, {});
      code.role = Role::Branch;
      if (ends) return;
      size_t at = 0;
      for (const ir::Parameter& result : of.function().results)
        for (const Register r : of.slots(result.symbol)) code.source.set(at++, Source::of(r));
      return;
    }
    case Opcode::BrxIdx: {
      const Register at = write.temporary();
      const Register scaled = write.value(Imad, {of.source(in, 0, Type::U32), Source::immediate(4)}, kInSequence);
      Instruction& table = write.emit(Ldc, at, {Source::of(scaled)});
      table.space = AddressSpace::Const;
      table.bytes = 4;
      const Register sign =
          write.value(Shf, {Source::of(at), Source::immediate(31)}, {.shift = Shift::RightArithmetic});
      Instruction& code = write.emit(Brx, kNone, {Source::of(at), Source::of(sign)});
      code.role = Role::Branch;
      return;
    }
    case Opcode::Call:
      if (!call_library_function(write, of, in)) call(write, of, in);
      return;
    case Opcode::Trap:
    case Opcode::Brkpt: {
      Instruction& code = write.emit(Bpt, kNone, {});
      code.role = in.op == Opcode::Trap ? Role::Branch : Role::Effect;
      return;
    }
    default:
      return;
  }
}

void mbarrier(Writer& write, Operands& of, const ir::Instruction& in) {
  const MemoryPlace place = of.place(in.address, AddressSpace::Shared);
  const bool waits = in.op == Opcode::MbarrierTestWait || in.op == Opcode::MbarrierTryWait;
  Instruction& code = write.effect(waits ? SyncsWait : Syncs, {place.base, of.source(in, 0, Type::U64)});
  code.destination.set(0, of.result(in));
  code.offset = place.offset;
  code.space = AddressSpace::Shared;
  code.bytes = 8;
}

void texture(Writer& write, Operands& of, const ir::Instruction& in) {
  // The object, then the coordinates and what is written.
  Sources operands{of.place(in.address, AddressSpace::Global).base};
  for (unsigned i = 0; i < in.src.size(); ++i) operands.set(1 + i, of.source(in, i));
  Instruction& code = write.effect(ir::info(in.op).family == ir::Family::Surface ? Suld : Tex, {});
  code.source = std::move(operands);
  for (unsigned i = 0; i < in.dst.size(); ++i) code.destination.set(i, of.result(in, i));
  if (in.mods.texture.query != ir::TextureQuery::None) return;
  code.space = AddressSpace::Global;
  code.bytes = static_cast<uint8_t>(std::clamp(ir::bits(in.type) / 8 * in.mods.vector, 1u, 16u));
  code.takes_access = true;
}

void move(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.op == Opcode::Alloca || in.op == Opcode::Stacksave || in.op == Opcode::Stackrestore) {
    write.effect(Iadd3, {of.source(in, 0)}).destination.set(0, of.result(in));
    return;
  }
  if (in.op == Opcode::Cvta) {
    // A shared or local address becomes generic by adding the window's base; global addresses are generic.
    const AddressSpace space = in.mods.space;
    const bool windowed = space == AddressSpace::Shared || space == AddressSpace::Local;
    if (!windowed) return write.copy(of.result(in), of.source(in, 0));
    if (in.mods.to) {
      write.copy(of.result(in), of.source(in, 0));
      return;
    }
    Instruction& code = write.emit(Iadd3, of.result(in),
                                   {of.source(in, 0), Source::constant(space == AddressSpace::Shared ? 0x18 : 0x20, 2)},
                                   {.window = space});
    code.wide = true;
    return;
  }
  if (in.op == Opcode::Mapa) {
    // The rank goes into the upper byte of the address in its window.
    write.emit(Prmt, of.result(in), {of.source(in, 0), of.source(in, 1, Type::U32)}).wide = true;
    return;
  }
  if (in.op == Opcode::Getctarank) {
    write.emit(Shf, of.result(in), {of.source(in, 0), Source::immediate(24)});
    return;
  }
  if (in.dst.size() > 1) {  // unpack
    const Source whole = of.source(in, 0);
    for (size_t i = 0; i < in.dst.size(); ++i) {
      if (of.result(in, i) == kNone) continue;
      const bool halves = ir::bits(of.function().registers[of.result(in, i)].type) < 32;
      Form form{.word = static_cast<uint8_t>(i)};
      if (halves) form.from = ir::bits(in.type) == 32 ? Type::B16 : Type::None;
      Instruction& code = write.emit(halves ? Prmt : Mov, of.result(in, i), {whole}, form);
      if (!halves) code.role = Role::Tuple;
    }
    return;
  }
  if (in.src.size() > 1) {  // pack
    const bool halves = ir::bits(in.type) == 32;
    Sources parts;
    for (size_t i = 0; i < in.src.size(); ++i) parts.set(i, of.source(in, i));
    const bool two = halves && in.src.size() == 2;
    Instruction& code = write.emit(halves ? Prmt : Mov, of.result(in), {}, two ? kPairOfHalves : kInSequence);
    if (!halves) code.role = Role::Tuple;
    code.source = std::move(parts);
    return;
  }
  const Register d = of.result(in);
  const Source from = of.source(in, 0);
  if (d != kNone) write.copy(d, from);
}

void other(Writer& write, Operands& of, const ir::Instruction& in) {
  switch (in.op) {
    case Opcode::Nanosleep:
      write.effect(Nanosleep, {of.source(in, 0, Type::U32)});
      return;
    case Opcode::Prefetch:
    case Opcode::Prefetchu:
    case Opcode::Applypriority:
    case Opcode::Discard: {
      write.effect(Cctl, {of.place(in.address, in.mods.space).base});
      return;
    }
    default:
      if (of.result(in) != kNone) write.effect(Mov, {of.source(in, 0)}).destination.set(0, of.result(in));
  }
}

}  // namespace drywarp::sass::handlers
