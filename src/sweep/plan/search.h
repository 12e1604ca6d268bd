// Which runs a sweep makes: rounds of one stage each, over the rows that are left.
//
//   grid      every configuration, whole
//   random    some of them, whole
//   halving   every configuration's counts; of the better half a slice of the time; of the best quarter of those the
//             whole
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/record/measurement.h"
#include "sweep/space/description.h"

namespace drywarp::sweep {

[[nodiscard]] std::vector<Stage> stages(Search search);

// The configurations of a sweep: all, or a random choice of `runs`, in the order of all. The same for the same seed.
Result<std::vector<Configuration>> candidates(const Description& description);

// Whether no program can have these values: a what-if parameter makes a cost ideal. Other settings (`carveout=50`) a
// program can have.
[[nodiscard]] bool is_ideal(const Description& description, const Configuration& configuration);

// Rows with the same group compete: the same device, the same values of `Description::per`, and the same ideal cost.
[[nodiscard]] std::string group_of(const Description& description, const Configuration& configuration);

struct Contender {
  size_t row = 0;
  std::string group;
  double score = 0;  // the smaller, the better
};
// The score after a stage: seconds, or cycles by counts. None: there is nothing to rank.
[[nodiscard]] std::optional<double> score(const Measurement& measurement, Stage stage);

struct Dropped {
  size_t row = 0;
  std::string reason;
};
struct Selection {
  std::vector<size_t> kept;  // ascending
  std::vector<Dropped> dropped;
};
// Of each group those that go on after `stage`: the better half after counts, the best quarter after a slice, and those
// that are as good as the last of them.
[[nodiscard]] Selection select(std::span<const Contender> contenders, Stage stage);

}  // namespace drywarp::sweep
