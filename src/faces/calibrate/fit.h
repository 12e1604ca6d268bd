// Fits the numbers of a device file to the raw results of the microbenchmarks.
#pragma once

#include <string>
#include <vector>

#include "faces/calibrate/raw_results.h"

namespace drywarp::calibrate {

enum class Evidence : uint8_t {
  Measured,   // by a microbenchmark
  Counter,    // Nsight Compute's counters and their peaks
  Cuda,       // CUDA queries
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
  std::string architecture;           // "Hopper", from the compute capability; "cc X.Y" if that is unknown
  std::string when;                   // date, driver and CUDA versions, for the source
  std::vector<FittedNumber> numbers;  // each path once
  std::vector<FittedList> lists;
  std::vector<std::string> missing;  // a message for each number that could not be fitted

  [[nodiscard]] const FittedNumber* find(std::string_view path) const;
};

// Never fails: numbers without results are listed in `missing`.
[[nodiscard]] Calibration fit(const RawResults& raw);

// The text of the device file.
[[nodiscard]] std::string device_file(const Calibration& calibration);

}  // namespace drywarp::calibrate
