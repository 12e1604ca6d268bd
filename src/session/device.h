// The simulated device as the CUDA runtime shows it: attributes by CUDA's numbers, and which launches fit.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "device/device_spec.h"
#include "session/attribute.h"

namespace drywarp::session {

class Device {
 public:
  explicit Device(device::DeviceSpec spec);

  [[nodiscard]] const device::DeviceSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& name() const { return spec_.name; }
  [[nodiscard]] uint64_t memory_bytes() const { return spec_.total_memory; }
  [[nodiscard]] unsigned compute_capability() const { return spec_.compute_capability.number(); }  // 90 for 9.0

  // 0 for what the device file does not say: the device does not have it.
  [[nodiscard]] int64_t attribute(Attribute attribute) const;
  [[nodiscard]] static bool is_attribute(int number);

  // Blocks on one multiprocessor at a time; 0: none can run. `carveout`: percent, -1 for the driver's choice.
  [[nodiscard]] unsigned active_blocks(unsigned threads, unsigned registers, uint64_t static_shared,
                                       uint64_t dynamic_shared, int carveout = -1) const;
  [[nodiscard]] bool registers_fit(unsigned threads, unsigned registers) const;
  // `estimate` registers a thread, or as many as a block of `threads` can have: our allocator's word must not forbid a
  // block that the program runs with on a GPU.
  [[nodiscard]] unsigned registers_for(unsigned threads, unsigned estimate) const;

 private:
  device::DeviceSpec spec_;
  std::map<int, int64_t> attributes_;
};

}  // namespace drywarp::session
