// The parts of the document, a file each.
#pragma once

#include <optional>

#include "base/device/device_spec.h"
#include "profile/document/document.h"
#include "profile/report/model/model.h"

namespace drywarp::document {

// A profile with what its parts need.
struct Subject {
  const record::Profile& profile;
  const report::ReportModel& model;
  std::optional<device::DeviceSpec> device;  // none: its file is not known here
};

// ---- definitions, once in a document
[[nodiscard]] const std::vector<metrics::Selected>& document_metrics();
[[nodiscard]] Json metric_definitions();       // parallel to document_metrics()
[[nodiscard]] Json unavailable_metrics();      // those that drywarp cannot tell, and why
[[nodiscard]] Json stall_definitions();        // by sm::Stall
// The place of a metric among document_metrics().
[[nodiscard]] size_t metric_index(std::string_view name);

// ---- of a profile
[[nodiscard]] Json profile_json(const Subject& subject, const std::string& title);
[[nodiscard]] Json device_json(const Subject& subject);
[[nodiscard]] Json launches_json(const Subject& subject);
[[nodiscard]] Json timeline_json(const Subject& subject);  // modelled: operations one after another
[[nodiscard]] Json sources_json(const Subject& subject);

// ---- of a kernel
[[nodiscard]] Json kernel_json(const Subject& subject, const report::KernelModel& kernel);
// null: the device or its launches are not known.
[[nodiscard]] Json occupancy_json(const Subject& subject, const report::KernelModel& kernel);
[[nodiscard]] Json memory_json(const report::KernelModel& kernel);  // traffic between the levels of memory
// What happened in the kernel's costliest launch; null: nothing of it was recorded.
[[nodiscard]] Json drawn_json(const Subject& subject, const report::KernelModel& kernel);

}  // namespace drywarp::document
