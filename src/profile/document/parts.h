// The parts of the document, a file each.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/device/device_spec.h"
#include "profile/document/document.h"
#include "profile/report/model/model.h"

namespace drywarp::document {

// A profile with what its parts need.
struct Subject {
  const record::Profile& profile;
  const report::ReportModel& model;
  std::optional<device::DeviceSpec> device;  // none: the profile does not say, and no file here is of its name
};

// ---- definitions, once in a document
[[nodiscard]] const std::vector<metrics::Selected>& document_metrics();
[[nodiscard]] Json metric_definitions();   // parallel to document_metrics()
[[nodiscard]] Json unavailable_metrics();  // those that drywarp cannot tell, and why
[[nodiscard]] Json stall_definitions();    // by sm::Stall
// The place of a metric among document_metrics().
[[nodiscard]] size_t metric_index(std::string_view name);

// ---- of a profile
[[nodiscard]] Json profile_json(const Subject& subject, const std::string& title);
[[nodiscard]] std::optional<device::DeviceSpec> device_of(const record::Profile& profile);
[[nodiscard]] Json device_json(const Subject& subject);
[[nodiscard]] Json launches_json(const Subject& subject);
[[nodiscard]] Json timeline_json(const Subject& subject);  // modelled
[[nodiscard]] Json sources_json(const Subject& subject);

// ---- of a kernel
[[nodiscard]] Json kernel_json(const Subject& subject, const report::KernelModel& kernel);
// null: the device or its launches are not known.
[[nodiscard]] Json occupancy_json(const Subject& subject, const report::KernelModel& kernel);
[[nodiscard]] Json memory_json(const report::KernelModel& kernel);  // traffic between the levels of memory
// What happened in one of the kernel's launches; null: nothing of it was recorded.
[[nodiscard]] Json drawn_json(const Subject& subject, const report::KernelModel& kernel);
// The modelled machine code, with its `machine_code` and `machine_regions`; null where none was recorded.
void add_machine_code(const Subject& subject, const report::KernelModel& kernel, Json& out);

// ---- of a launch that was recorded to be drawn
// null: none of this kernel was.
[[nodiscard]] const record::DrawnLaunch* drawn_launch(const Subject& subject, const report::KernelModel& kernel);
[[nodiscard]] const KernelInfo& kernel_of(const Subject& subject, const record::DrawnLaunch& drawn);

// The place of each instruction of a KernelInfo in KernelModel::instructions, which has equal ones of inlined calls
// once.
class InstructionPlaces {
 public:
  explicit InstructionPlaces(const report::KernelModel& kernel);
  [[nodiscard]] Json of(const KernelInfo& info, uint32_t instruction) const;  // null: no instruction of its own

 private:
  std::map<std::pair<uint32_t, std::string_view>, size_t> places_;
};

[[nodiscard]] Json steps_json(const record::DrawnLaunch& drawn, const KernelInfo& info,
                              const InstructionPlaces& places);
[[nodiscard]] Json cycles_json(const sm::Timeline& timeline);  // null: nothing was recorded

}  // namespace drywarp::document
