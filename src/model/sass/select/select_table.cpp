// The handler of each opcode.
#include "model/sass/select/selector.h"

namespace drywarp::sass {
namespace {

using ir::Family;
using ir::Opcode;
using S = Selector;

struct OpcodeHandler {
  Opcode op;
  Selector::Handler handler;
};
constexpr OpcodeHandler kByOpcode[] = {
    {Opcode::Add, &S::add},        {Opcode::Sub, &S::add},           {Opcode::Mul, &S::multiply},
    {Opcode::Mul24, &S::multiply}, {Opcode::Mad, &S::multiply},      {Opcode::Mad24, &S::multiply},
    {Opcode::Fma, &S::multiply},   {Opcode::Sad, &S::sad},           {Opcode::Div, &S::divide},
    {Opcode::Rem, &S::divide},     {Opcode::Abs, &S::negate},        {Opcode::Neg, &S::negate},
    {Opcode::Min, &S::minmax},     {Opcode::Max, &S::minmax},        {Opcode::Dp4a, &S::dot},
    {Opcode::Dp2a, &S::dot},       {Opcode::Addc, &S::carry},        {Opcode::Subc, &S::carry},
    {Opcode::Madc, &S::carry},     {Opcode::Copysign, &S::copysign}, {Opcode::Popc, &S::bits},
    {Opcode::Clz, &S::bits},       {Opcode::Bfind, &S::bits},        {Opcode::Brev, &S::bits},
    {Opcode::Fns, &S::bitfield},   {Opcode::Bfe, &S::bitfield},      {Opcode::Bfi, &S::bitfield},
    {Opcode::Bmsk, &S::bitfield},  {Opcode::Szext, &S::bitfield},    {Opcode::Prmt, &S::permute},
    {Opcode::Shl, &S::shift},      {Opcode::Shr, &S::shift},         {Opcode::Shf, &S::funnel},
    {Opcode::Selp, &S::choose},    {Opcode::Slct, &S::choose},
};
struct FamilyHandler {
  Family family;
  Selector::Handler handler;
};
constexpr FamilyHandler kByFamily[] = {
    {Family::Special, &S::special_function},
    {Family::Logic, &S::logic},
    {Family::Compare, &S::compare},
    {Family::Move, &S::move},
    {Family::Convert, &S::convert},
    {Family::Load, &S::load},
    {Family::Store, &S::store},
    {Family::Atomic, &S::atomic},
    {Family::Fence, &S::fence},
    {Family::AsyncCopy, &S::async_copy},
    {Family::Control, &S::control},
    {Family::Barrier, &S::barrier},
    {Family::WarpSync, &S::warp_sync},
    {Family::Mbarrier, &S::mbarrier},
    {Family::WarpExchange, &S::exchange},
    {Family::Video, &S::video},
    {Family::Texture, &S::texture},
    {Family::Surface, &S::texture},
    {Family::Matrix, &S::matrix},
    {Family::Cache, &S::other},
    {Family::Misc, &S::other},
};

// Null: an opcode that no handler was written for.
constexpr Selector::Handler find_handler(Opcode op, Family family) {
  for (const OpcodeHandler& entry : kByOpcode)
    if (entry.op == op) return entry.handler;
  for (const FamilyHandler& entry : kByFamily)
    if (entry.family == family) return entry.handler;
  return nullptr;
}

constexpr bool every_opcode_that_runs_has_a_handler() {
  constexpr bool Run = true, Parse = false;
#define DW_OPCODE(name, mnemonic, family, support) \
  if (support && !find_handler(Opcode::name, Family::family)) return false;
#include "language/ptx/isa.def"
  return true;
}
static_assert(every_opcode_that_runs_has_a_handler(), "add the new opcode to kByOpcode, or its family to kByFamily");

}  // namespace

Selector::Handler handler(Opcode op) {
  const Selector::Handler found = find_handler(op, ir::info(op).family);
  return found ? found : &S::other;  // what does not run has no code
}

}  // namespace drywarp::sass
