#include "sweep/record/sources.h"

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/support/digest.h"
#include "base/support/whole_file.h"

namespace drywarp::sweep {
namespace fs = std::filesystem;
namespace {

// "a.h" of `#include "a.h"`; nullopt: another line.
std::optional<std::string> included(std::string_view line) {
  const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1), skip();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7), skip();
  if (!line.starts_with('"')) return std::nullopt;
  return std::string(line.substr(1, line.find('"', 1) - 1));
}

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

class Finder {
 public:
  explicit Finder(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "-I" && i + 1 < words.size())
        folders_.push_back(words[++i]);
      else if (words[i].starts_with("-I"))
        folders_.push_back(words[i].substr(2));
    }
  }

  void add(const fs::path& path) {
    const std::string name = path.lexically_normal().string();
    if (digests.contains(name)) return;
    const auto text = read_whole(name);
    digests[name] = text ? Digester().add(*text).hex() : "";
    if (!text || text->starts_with("\x7f"
                                   "ELF"))
      return;
    for (size_t begin = 0; begin < text->size();) {
      const size_t end = std::min(text->find('\n', begin), text->size());
      if (const auto file = included(std::string_view(*text).substr(begin, end - begin)))
        find(path.parent_path(), *file);
      begin = end + 1;
    }
  }

  std::map<std::string, std::string> digests;

 private:
  void find(const fs::path& folder, const std::string& file) {
    if (is_file(folder / file)) return add(folder / file);
    for (const fs::path& other : folders_)
      if (is_file(other / file)) return add(other / file);
  }
  std::vector<fs::path> folders_;
};

}  // namespace

std::map<std::string, std::string> source_digests(const std::vector<std::string>& words) {
  Finder finder(words);
  for (const std::string& word : words)
    if (!word.starts_with('-') && is_file(word)) finder.add(word);
  return std::move(finder.digests);
}

}  // namespace drywarp::sweep
