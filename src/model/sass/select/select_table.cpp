// The handler of each opcode.
#include "model/sass/select/handlers.h"

namespace drywarp::sass {
namespace {

using ir::Family;
using ir::Opcode;

struct OpcodeHandler {
  Opcode op;
  Handler handler;
};
constexpr OpcodeHandler kByOpcode[] = {
    {Opcode::Add, handlers::add},          {Opcode::Sub, handlers::add},           {Opcode::Mul, handlers::multiply},
    {Opcode::Mul24, handlers::multiply},   {Opcode::Mad, handlers::multiply},      {Opcode::Mad24, handlers::multiply},
    {Opcode::Fma, handlers::multiply},     {Opcode::Sad, handlers::sad},           {Opcode::Div, handlers::divide},
    {Opcode::Rem, handlers::divide},       {Opcode::Abs, handlers::negate},        {Opcode::Neg, handlers::negate},
    {Opcode::Min, handlers::minmax},       {Opcode::Max, handlers::minmax},        {Opcode::Dp4a, handlers::dot},
    {Opcode::Dp2a, handlers::dot},         {Opcode::Addc, handlers::carry},        {Opcode::Subc, handlers::carry},
    {Opcode::Madc, handlers::carry},       {Opcode::Copysign, handlers::copysign}, {Opcode::Popc, handlers::bits},
    {Opcode::Clz, handlers::bits},         {Opcode::Bfind, handlers::bits},        {Opcode::Brev, handlers::bits},
    {Opcode::Fns, handlers::find_nth_set}, {Opcode::Bfe, handlers::bitfield},      {Opcode::Bfi, handlers::bitfield},
    {Opcode::Bmsk, handlers::bitfield},    {Opcode::Szext, handlers::bitfield},    {Opcode::Prmt, handlers::permute},
    {Opcode::Shl, handlers::shift},        {Opcode::Shr, handlers::shift},         {Opcode::Shf, handlers::funnel},
    {Opcode::Selp, handlers::choose},      {Opcode::Slct, handlers::choose},
};
struct FamilyHandler {
  Family family;
  Handler handler;
};
constexpr FamilyHandler kByFamily[] = {
    {Family::Special, handlers::special_function},
    {Family::Logic, handlers::logic},
    {Family::Compare, handlers::compare},
    {Family::Move, handlers::move},
    {Family::Convert, handlers::convert},
    {Family::Load, handlers::load},
    {Family::Store, handlers::store},
    {Family::Atomic, handlers::atomic},
    {Family::Fence, handlers::fence},
    {Family::AsyncCopy, handlers::async_copy},
    {Family::Control, handlers::control},
    {Family::Barrier, handlers::barrier},
    {Family::WarpSync, handlers::warp_sync},
    {Family::Mbarrier, handlers::mbarrier},
    {Family::WarpExchange, handlers::exchange},
    {Family::Video, handlers::video},
    {Family::Texture, handlers::texture},
    {Family::Surface, handlers::texture},
    {Family::Matrix, handlers::matrix},
    {Family::BulkCopy, handlers::bulk_copy},
    {Family::WarpGroup, handlers::group_product},
    {Family::WarpGroupSync, handlers::group_sync},
    {Family::Cache, handlers::other},
    {Family::Misc, handlers::other},
};

// Null: an opcode that no handler was written for.
constexpr Handler find_handler(Opcode op, Family family) {
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

Handler handler(Opcode op) {
  const Handler found = find_handler(op, ir::info(op).family);
  return found ? found : handlers::other;  // what does not run has no code
}

}  // namespace drywarp::sass
