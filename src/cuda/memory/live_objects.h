// What a program creates and has not destroyed, other than device memory: streams, events, graphs, texture objects,
// pools, pinned memory; for leakcheck.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace drywarp::cuda {

class LiveObjects {
 public:
  struct Object {
    std::string what;      // "a stream"
    std::string made;      // where, as cuda/launch/call_sites.h has it
    const char* end = "";  // what it never is: "destroyed"
    uint64_t number = 0;   // in the order of their creation
  };

  // From now on; without, nothing is noted. `caller`: the place of the call that runs.
  void watch(std::function<std::string()> caller) { caller_ = std::move(caller); }
  void created(std::string what, uint64_t handle, const char* end = "destroyed") {
    if (caller_) objects_[handle] = {std::move(what), caller_(), end, ++count_};
  }
  void created(std::string what, const void* handle) { created(std::move(what), reinterpret_cast<uint64_t>(handle)); }
  void destroyed(uint64_t handle) { objects_.erase(handle); }
  void destroyed(const void* handle) { destroyed(reinterpret_cast<uint64_t>(handle)); }
  [[nodiscard]] std::vector<Object> left() const {
    std::vector<Object> all;
    for (const auto& [handle, object] : objects_) all.push_back(object);
    std::ranges::sort(all, {}, &Object::number);
    return all;
  }
  void clear() { objects_.clear(); }

 private:
  std::function<std::string()> caller_;
  std::map<uint64_t, Object> objects_;  // by handle
  uint64_t count_ = 0;
};

}  // namespace drywarp::cuda
