// Texture and surface objects: the program's descriptions by handle, for the calls that return them and for the code
// that samples.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace drywarp::cuda {

// The descriptions are the C ABI's structures, byte for byte.
struct TextureObject {
  std::vector<uint8_t> resource, sampling, view;
  bool surface = false;
};

class Textures {
 public:
  uint64_t add(TextureObject object) {
    objects_[next_] = std::move(object);
    return next_++;
  }
  [[nodiscard]] const TextureObject* find(uint64_t handle, bool surface) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() || found->second.surface != surface ? nullptr : &found->second;
  }
  bool remove(uint64_t handle, bool surface) { return find(handle, surface) && objects_.erase(handle) > 0; }
  void clear() { objects_.clear(); }

 private:
  std::map<uint64_t, TextureObject> objects_;
  uint64_t next_ = 1;  // 0 is no object
};

}  // namespace drywarp::cuda
