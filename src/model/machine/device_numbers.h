#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/device/device_spec.h"
#include "model/machine/machine_model.h"

namespace drywarp::machine {

// A number as the device file has it, or nothing; `rates.dram_bytes_per_second` as published.
std::optional<double> file_number(const device::DeviceSpec& device, std::string_view path);

// Reads numbers by their path in the device file. A stand-in takes the place of one that the file lacks; what is
// missing is remembered.
class NumberReader {
 public:
  explicit NumberReader(const device::DeviceSpec& device) : device_(device) {}
  // `classes`: code with these classes needs the number. 1 if nothing is known.
  double need(std::string_view path, ClassSet classes);
  // The issue rate of a class; 1 if nothing is known, so that it sets no limit.
  double issue(TimingClass timing);
  [[nodiscard]] double either(std::string_view path, double otherwise) const;
  std::vector<Gap> take_gaps();

 private:
  void add(Gap gap);
  const device::DeviceSpec& device_;
  std::vector<Gap> gaps_;
};

}  // namespace drywarp::machine
