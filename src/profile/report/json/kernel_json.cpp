#include "profile/report/json/json_parts.h"
#include "profile/report/model/numbers.h"

namespace drywarp::report {
namespace {

Json barriers_json(const std::vector<BarrierOfLine>& all) {
  Json barriers = Json::array();
  for (const BarrierOfLine& b : all)
    barriers.push_back({{"file", b.file},
                        {"line", b.line},
                        {"ptx_line", b.ptx_line},
                        {"kind", key(b.note.kind)},
                        {"times", b.note.times},
                        {"block", b.note.block},
                        {"warp", b.note.kind == BarrierNote::Kind::DivergentWarp ? Json(b.note.warp) : Json()},
                        {"waited", b.note.waited},
                        {"absent", b.note.absent},
                        {"text", what_happened(b.note)}});
  return barriers;
}

}  // namespace

Json kernel_facts_json(const KernelModel& k) {
  Json untimed = Json::object();
  for (const auto& [why, launches] : k.untimed) untimed[why] = launches;
  Json facts = {{"name", k.name},
                {"mangled", k.mangled},
                {"calls", k.calls},
                {"counted", k.counted},
                {"faults", k.faults},
                {"registers", k.registers == 0 ? Json() : Json(k.registers)},
                {"registers_from", k.registers == 0 ? Json() : Json(name(k.registers_from))},
                {"static_shared_bytes", k.static_shared_bytes},
                {"local_bytes", k.local_bytes},
                {"host_seconds", k.host_seconds.total},
                {"warp_instructions_share", k.instructions_share},
                {"time", kernel_time_json(k)},
                {"untimed", std::move(untimed)},
                {"limiter", limiter_json(k.time && k.time->limiter ? &*k.time->limiter : nullptr)},
                {"advice", advice_json(k.advice)},
                {"barriers", barriers_json(k.barriers)},
                {"roofline", rooflines_json(k)}};
  if (const std::string_view library = replaced_library(k.mangled); !library.empty()) facts["replaces"] = library;
  return facts;
}

Json transfer_json(const record::TransferRecord& t) {
  return {{"kind", name(t.kind)},
          {"bytes", t.bytes},
          {"stream", t.stream},
          {"start_seconds", t.start_seconds},
          {"host_seconds", t.host_seconds},
          {"gpu_seconds", t.gpu_seconds > 0 ? Json(t.gpu_seconds) : Json()},
          {"pinned", t.pinned}};
}

Json api_json(const ApiModel& a) {
  const Tally& t = a.host_seconds;
  return {{"name", a.name}, {"calls", t.count}, {"host_seconds", t.total},
          {"min", t.min},   {"max", t.max},     {"avg", t.avg()}};
}

}  // namespace drywarp::report
