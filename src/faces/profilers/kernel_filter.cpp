#include "faces/profilers/kernel_filter.h"

namespace drywarp::profilers {

std::vector<size_t> choose_launches(const record::Profile& profile, const LaunchFilter& filter) {
  LaunchSelector selector(filter);
  std::vector<size_t> chosen;
  for (size_t i = 0; i < profile.launches.size(); ++i) {
    const record::LaunchRecord& launch = profile.launches[i];
    if (launch.counted && selector.takes(*profile.kernels[launch.kernel], launch.stream, launch.range))
      chosen.push_back(i);
  }
  return chosen;
}

}  // namespace drywarp::profilers
