// Carries copies and constants forward into what reads them, folds, and computes equal values once.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/values.h"

namespace drywarp::sass {

class Forwarder {
 public:
  // `crosses_blocks`: several blocks follow one another, and values stay known from one to the next.
  Forwarder(Values& values, bool crosses_blocks) : v_(values), crosses_blocks_(crosses_blocks) {}

  void run(std::vector<Code>& code);

 private:
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };
  void substitute(Code& c);
  bool take_offset_out(Code& c);
  void share(Code& c);
  [[nodiscard]] static std::vector<uint64_t> key_of(const Code& c);

  Values& v_;
  const bool crosses_blocks_;
  std::unordered_map<std::vector<uint64_t>, Register, KeyHash> known_;  // by what computes it, in this run
};

}  // namespace drywarp::sass
