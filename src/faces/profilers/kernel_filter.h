// The launches of a kept profile that a user named.
#pragma once

#include <vector>

#include "base/events/launch_filter.h"
#include "profile/record/profile.h"

namespace drywarp::profilers {

// The counted launches that the filter takes, as indices into the profile's.
[[nodiscard]] std::vector<size_t> choose_launches(const record::Profile& profile, const LaunchFilter& filter);

}  // namespace drywarp::profilers
