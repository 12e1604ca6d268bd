// Dynamic parallelism: clang rejects kernel<<<grid, block>>>(arguments) in device code. When it has, the sources with
// launches are compiled again, for the device with calls in place of launches, from which a pass over LLVM's IR makes
// launches again (device_passes), and for the host without the launches that are in device code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace drywarp::compile {

// A launch in a source, as offsets: kernel <<< configuration >>> ( arguments ).
struct Launch {
  size_t kernel = 0, brackets = 0;  // begin of the kernel's expression, and of <<<
  size_t configuration = 0, configuration_end = 0;
  size_t arguments = 0, end = 0;  // the parenthesis, and behind the closing one
};
std::vector<Launch> find_launches(std::string_view text);

// `text` with calls in place of all launches.
std::string with_calls(std::string_view text);
// Spaces and an empty statement in place of some launches; every line and column stays.
std::string without_launches(std::string_view text, const std::set<size_t>& brackets);

// The sources with launches that have been found so far.
class DeviceLaunches {
 public:
  // Looks for launches that clang rejects, in the texts that it read: `corrected`, or the files. False: no new ones.
  bool learn(const std::string& diagnostics, const std::map<std::string, std::string>& corrected);
  [[nodiscard]] bool any() const { return !files_.empty(); }
  void forget() { files_.clear(); }  // texts have changed

  // The texts for a pass, in place of `corrected`.
  [[nodiscard]] std::map<std::string, std::string> device_texts(
      const std::map<std::string, std::string>& corrected) const;
  [[nodiscard]] std::map<std::string, std::string> host_texts(
      const std::map<std::string, std::string>& corrected) const;

 private:
  struct File {
    std::string text;
    std::set<size_t> in_device_code;  // launches, by Launch::brackets
  };
  std::map<std::string, File> files_;  // by absolute path
};

}  // namespace drywarp::compile
