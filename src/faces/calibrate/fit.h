// Raw results of the microbenchmarks to the numbers of a device file.
#pragma once

#include <string>
#include <vector>

#include "faces/calibrate/raw_results.h"

namespace drywarp::calibrate {

enum class Evidence : uint8_t {
  Measured,   // by a microbenchmark
  Counter,    // by Nsight Compute's counters and what it says their peaks are
  Cuda,       // CUDA's answers
  Occupancy,  // NVIDIA's cuda_occupancy.h on that machine
};

struct FittedNumber {
  std::string path;  // in a device file: "l2.latency_far"
  double value = 0;
  Evidence evidence{};
};
struct FittedList {
  std::string path;  // "multiprocessor.shared_carveouts"
  std::vector<double> values;
  Evidence evidence{};
};

struct Calibration {
  std::string name;                   // the GPU's, as CUDA reports it
  std::string architecture;           // "Hopper", of its compute capability; "cc X.Y" where that has no known name
  std::string when;                   // date, driver and CUDA versions, for the source
  std::vector<FittedNumber> numbers;  // each path once
  std::vector<FittedList> lists;
  std::vector<std::string> missing;  // what could not be worked out, and why: a sentence each

  [[nodiscard]] const FittedNumber* find(std::string_view path) const;
};

// Never fails: what the results do not hold is missing, and said so.
[[nodiscard]] Calibration fit(const RawResults& raw);

}  // namespace drywarp::calibrate
