// The modelled machine code of a kernel, linked to its PTX and its source lines.
#include "profile/document/parts.h"

namespace drywarp::document {

void add_machine_code(const Subject& s, const report::KernelModel& kernel, Json& out) {
  out["machine_code"] = nullptr;
  out["machine_regions"] = nullptr;
  const record::DrawnLaunch* drawn = drawn_launch(s, kernel);
  if (!drawn || drawn->code.instructions.empty()) return;
  const KernelInfo& info = kernel_of(s, *drawn);
  const InstructionPlaces places(kernel);
  const std::vector<sm::InstructionTiming>& times = drawn->timeline.instructions;
  Json all = Json::array();
  for (size_t i = 0; i < drawn->code.instructions.size(); ++i) {
    const record::ListedInstruction& at = drawn->code.instructions[i];
    const bool placed = at.line != 0 && at.file < info.files.size();
    all.push_back({{"text", at.text},
                   {"operation", at.operation},
                   {"pipe", at.pipe},
                   {"instruction", places.of(info, at.instruction)},
                   {"file", placed ? info.files[at.file] : ""},
                   {"line", placed ? at.line : 0},
                   {"region", at.region},
                   {"issued", i < times.size() ? Json(times[i].issued) : Json()},
                   {"stalls", i < times.size() ? report::stalls_json(times[i].stalls) : Json()}});
  }
  out["machine_code"] = std::move(all);
  out["machine_regions"] = drawn->code.regions;
}

}  // namespace drywarp::document
