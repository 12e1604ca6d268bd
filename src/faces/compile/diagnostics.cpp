#include "faces/compile/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/support/plural.h"

namespace drywarp::compile {
namespace {

enum class Kind { Message, Note, Include, Count, Other };

Kind kind_of(const std::string& line) {
  static const std::regex count(R"(\d+ (warning|error)s?( and \d+ errors?)? generated( when compiling for .*)?\.)");
  if (line.find(": warning: ") != std::string::npos || line.find(": error: ") != std::string::npos ||
      line.find(": fatal error: ") != std::string::npos || line.find(": remark: ") != std::string::npos ||
      line.starts_with("error: ") || line.starts_with("warning: ") || line.starts_with("fatal error: ")) {
    return Kind::Message;
  }
  if (line.find(": note: ") != std::string::npos || line.starts_with("note: ")) return Kind::Note;
  if (line.starts_with("In file included from ") || line.find(": In file included from ") != std::string::npos)
    return Kind::Include;
  if (std::regex_match(line, count)) return Kind::Count;
  return Kind::Other;
}

struct Group {
  std::string text;   // as printed
  std::string plain;  // without colours: equal texts are duplicates
};

std::vector<Group> split(const std::string& output) {
  std::vector<Group> groups;
  std::string pending, pending_plain;  // include lines that belong to the next message
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::string plain = without_colors(line);
    switch (kind_of(plain)) {
      case Kind::Count:
        break;
      case Kind::Include:
        pending += line + '\n';
        pending_plain += plain + '\n';
        break;
      case Kind::Message:
        groups.push_back({pending + line + '\n', pending_plain + plain + '\n'});
        pending.clear();
        pending_plain.clear();
        break;
      case Kind::Note:
      case Kind::Other:
        if (groups.empty()) groups.emplace_back();
        groups.back().text += pending + line + '\n';
        groups.back().plain += pending_plain + plain + '\n';
        pending.clear();
        pending_plain.clear();
        break;
    }
  }
  if (!pending.empty()) groups.push_back({pending, pending_plain});
  return groups;
}

constexpr const char* kThrust =
    "Thrust and CUB are not part of drywarp: install Debian's libthrust-dev (which brings libcub-dev), or name the "
    "folder that has them with -I";
constexpr const char* kLibcuxx =
    "libcu++ in drywarp is limited to <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>: install Debian's libcu++-dev, "
    "or name the folder that has the rest (with cuda/std in it) with -I";
constexpr const char* kLibrary = "drywarp runs CUDA programs but has none of NVIDIA's libraries, such as {}";

struct Hint {
  std::string_view prefix;  // of the header's name
  const char* text;
  const char* library = "";
};

// The first match counts.
constexpr Hint kHints[] = {
    {"thrust/", kThrust},
    {"cub/", kThrust},
    {"cuda/", kLibcuxx},
    {"nv/", kLibcuxx},
    {"cublas", kLibrary, "cuBLASXt (drywarp has cuBLAS, <cublas_v2.h>, and cuBLASLt, <cublasLt.h>)"},
    {"cusolver", kLibrary, "cuSOLVER"},
    {"cudnn", kLibrary, "cuDNN"},
    {"cutensor", kLibrary, "cuTENSOR"},
    {"cutlass/", kLibrary, "CUTLASS (headers only: name their folder with -I)"},
    {"cute/", kLibrary, "CuTe (headers only: name their folder with -I)"},
    {"nccl", kLibrary, "NCCL"},
    {"npp", kLibrary, "NPP"},
    {"nvjpeg", kLibrary, "nvJPEG"},
    {"nvml", kLibrary, "NVML"},
    {"cupti", kLibrary, "CUPTI"},
    {"cuda_gl_interop.h", kLibrary, "OpenGL interoperability"},
    {"cudaGL.h", kLibrary, "OpenGL interoperability"},
    {"cudaEGL.h", kLibrary, "EGL interoperability"},
};

constexpr const char* kLaunchInKernel =
    "drywarp: {} is launched in device code (dynamic parallelism), which takes -rdc=true\n";
constexpr const char* kRuntimeInKernel =
    "drywarp: device code cannot call {}: of CUDA's runtime it has launches, streams, events, copies and memory\n";

}  // namespace

std::string without_colors(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

std::string merge_diagnostics(std::span<const std::string> passes) {
  std::string merged;
  std::set<std::string> seen;
  int warnings = 0, errors = 0;
  for (const std::string& pass : passes) {
    for (const Group& group : split(pass)) {
      if (!seen.insert(group.plain).second) continue;
      merged += group.text;
      if (group.plain.find(": warning: ") != std::string::npos)
        ++warnings;
      else if (group.plain.find("error: ") != std::string::npos)
        ++errors;
    }
  }
  if (warnings && errors)
    merged += fmt::format("{} and {} generated.\n", plural(warnings, "warning"), plural(errors, "error"));
  else if (warnings)
    merged += plural(warnings, "warning") + " generated.\n";
  else if (errors)
    merged += plural(errors, "error") + " generated.\n";
  return merged;
}

std::optional<Message> message_in(const std::string& line) {
  static const std::regex form(R"(^(.*):(\d+):(\d+): (error|note): (.*)$)");
  std::smatch parts;
  if (!std::regex_match(line, parts, form) || parts[1] == "<scratch space>") return std::nullopt;
  return Message{{parts[1], std::stoul(parts[2]), std::stoul(parts[3])}, parts[4], parts[5]};
}

std::optional<size_t> offset_of(std::string_view text, const Place& place) {
  size_t at = 0;
  for (size_t line = place.line; line > 1; --line) {
    at = text.find('\n', at);
    if (at++ == std::string_view::npos) return std::nullopt;
  }
  const size_t length = std::min(text.find('\n', at), text.size()) - at;
  if (place.column == 0 || place.column > length) return std::nullopt;
  return at + place.column - 1;
}

bool lacks_texture_names(const std::string& diagnostics) {
  static const std::regex unknown(
      R"(error: (no template named|unknown type name|use of undeclared identifier) '(texture|surface)')");
  return std::regex_search(without_colors(diagnostics), unknown);
}

std::string compile_hints(const std::string& diagnostics) {
  static const std::regex missing(R"(fatal error: '([^']+)' file not found)");
  std::set<const char*> said;
  std::string hints;
  const std::string plain = without_colors(diagnostics);
  for (std::sregex_iterator it(plain.begin(), plain.end(), missing), end; it != end; ++it) {
    const std::string name = (*it)[1];
    for (const Hint& hint : kHints) {
      if (!name.starts_with(hint.prefix)) continue;
      const char* key = *hint.library ? hint.library : hint.text;
      if (said.insert(key).second)
        hints += fmt::format("drywarp: <{}>: {}\n", name, fmt::format(fmt::runtime(hint.text), hint.library));
      break;
    }
  }
  static const std::regex launch(
      R"(error: reference to __global__ function '([^']+)' in __(?:global|device)__ function)");
  static const std::regex runtime(R"(error: no matching function for call to '(cuda\w+)')");
  const bool host_only = plain.find("call to __host__ function from __") != std::string::npos;
  std::smatch m;
  if (std::regex_search(plain, m, launch))
    hints += fmt::format(kLaunchInKernel, m[1].str());
  else if (host_only && std::regex_search(plain, m, runtime))
    hints += fmt::format(kRuntimeInKernel, m[1].str());
  return hints;
}
}  // namespace drywarp::compile
