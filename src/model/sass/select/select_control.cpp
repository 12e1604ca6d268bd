// Barriers, exchange between lanes, control flow, moves, and what has no family of its own.
#include <algorithm>

#include "model/sass/select/selector.h"

namespace drywarp::sass {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

void Selector::barrier(const ir::Instruction& in) {
  Instruction& code = effect(Bar, {source(in, 0, Type::U32), source(in, 1, Type::U32), source(in, 2, Type::Pred)},
                             {.mode = in.mods.mode});
  if (result(in) != kNone) code.destination[0] = result(in);
}

void Selector::warp_sync(const ir::Instruction& in) {
  const Source mask = source(in, 0, Type::U32);
  effect(Warpsync, {mask});
}

void Selector::fence(const ir::Instruction& in) {
  if (in.op == Opcode::FenceProxy) {
    effect(Membar, {});
    return;
  }
  effect(Membar, {});
  if (in.mods.scope == ir::Scope::Gpu || in.mods.scope == ir::Scope::Sys) {
    effect(Depbar, {});  // ERRBAR
    effect(Cctl, {});    // invalidates the L1
  }
}

void Selector::exchange(const ir::Instruction& in) {
  const Register d = result(in);
  switch (in.op) {
    case Opcode::Shfl: {
      const Source mask = source(in, 3, Type::U32);
      if (mask.is_register()) effect(Warpsync, {mask}).for_exchange = true;
      Instruction& code =
          effect(Shfl, {source(in, 0), source(in, 1, Type::U32), source(in, 2, Type::U32)}, {.mode = in.mods.mode});
      code.destination[0] = d;
      code.destination[1] = result(in, 1);
      return;
    }
    case Opcode::Movmatrix:
      effect(Movm, {source(in, 0, Type::U32)}).destination[0] = d;
      return;
    case Opcode::Redux: {
      Instruction& code = effect(Redux, {source(in, 0)}, {.mode = in.mods.mode});
      const Register uniform = temporary(1, RegisterFile::Uniform);
      code.destination[0] = uniform;
      emit(Mov, d, {Source::of(uniform)});
      return;
    }
    case Opcode::Match: {
      Instruction& code = effect(Match, {source(in, 0)}, {.mode = in.mods.mode});
      code.destination[0] = d;
      return;
    }
    default: {  // vote, activemask, elect
      const Source mask = source(in, 1, Type::U32);
      if (in.op == Opcode::Vote && mask.is_register()) effect(Warpsync, {mask}).for_exchange = true;
      Instruction& code = effect(Vote, {source(in, 0, Type::Pred)}, {.mode = in.mods.mode});
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
      const Register scaled = value(Imad, {source(in, 0, Type::U32), Source::immediate(4)}, kInSequence);
      Instruction& table = emit(Ldc, at, {Source::of(scaled)});
      table.space = AddressSpace::Const;
      table.bytes = 4;
      const Register sign = value(Shf, {Source::of(at), Source::immediate(31)}, {.shift = Shift::RightArithmetic});
      Instruction& code = emit(Brx, kNone, {Source::of(at), Source::of(sign)});
      code.role = Role::Branch;
      return;
    }
    case Opcode::Call: {
      if (in.origin == ir::Origin::InlinedCall) return;
      // Arguments in registers from R4 on, the return address, the call.
      for (const ir::Operand& argument : in.call_arguments) effect(Mov, {source(argument, Type::B32)});
      effect(Mov, {}).destination[0] = temporary(2);
      effect(Call, {in.src.empty() ? Source{} : source(in, 0, Type::U64)});
      for (const ir::Operand& r : in.call_results)
        if (r.kind == ir::Operand::Kind::Register) effect(Mov, {}).destination[0] = r.id;
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
  Instruction& code = effect(Atoms, {place.source[0], source(in, 0, Type::U64)});
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
      effect(Mov, {}).destination[0] = result(in, i);
      block_->code.back().role = Role::Tuple;
    }
  }
}

void Selector::texture(const ir::Instruction& in) {
  Instruction& code = effect(ir::info(in.op).family == ir::Family::Surface ? Suld : Tex, {source(in, 0)});
  code.destination[0] = result(in);
  for (size_t i = 1; i < in.dst.size(); ++i)
    if (result(in, i) != kNone) {
      Instruction& part = emit(Mov, result(in, i), {}, {.word = static_cast<uint8_t>(i)});
      part.role = Role::Tuple;
    }
}

void Selector::move(const ir::Instruction& in) {
  if (in.op == Opcode::Alloca || in.op == Opcode::Stacksave || in.op == Opcode::Stackrestore) {
    effect(Iadd3, {source(in, 0)}).destination[0] = result(in);
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
        emit(Iadd3, result(in), {source(in, 0), Source::constant(space == AddressSpace::Shared ? 0x18 : 0x20, 2)},
             {.window = space});
    code.wide = true;
    return;
  }
  if (in.dst.size() > 1) {  // unpack
    const Source whole = source(in, 0);
    for (size_t i = 0; i < in.dst.size(); ++i) {
      if (result(in, i) == kNone) continue;
      const bool halves = ir::bits(function_.registers[result(in, i)].type) < 32;
      Instruction& code = emit(halves ? Prmt : Mov, result(in, i), {whole}, {.word = static_cast<uint8_t>(i)});
      if (!halves) code.role = Role::Tuple;
    }
    return;
  }
  if (in.src.size() > 1) {  // pack
    const bool halves = ir::bits(in.type) == 32;
    std::array<Source, 6> parts{};
    for (size_t i = 0; i < in.src.size() && i < 4; ++i) parts[i] = source(in, i);
    Instruction& code = emit(halves ? Prmt : Mov, result(in), {}, kInSequence);
    if (!halves) code.role = Role::Tuple;
    code.source = parts;
    return;
  }
  const Register d = result(in);
  const Source from = source(in, 0);
  if (d != kNone) copy(d, from);
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
      if (result(in) != kNone) effect(Mov, {source(in, 0)}).destination[0] = result(in);
  }
}

}  // namespace drywarp::sass
