#include <fmt/format.h>

#include "sweep/views/views.h"

namespace drywarp::sweep {
namespace {

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string flags_of(const Sweep& sweep, const Row& row) {
  const Request request = request_for(sweep.description.program, sweep.description.space, row.configuration);
  std::string text;
  const auto append = [&](const std::string& word) { text += (text.empty() ? "" : " ") + shell_word(word); };
  if (!request.device.empty()) append("--device"), append(request.device);
  for (const std::string& word : request.program) append(word);
  if (!request.arguments.empty()) append("--");
  for (const std::string& argument : request.arguments) append(argument);
  return text;
}

std::string header_of(const Sweep& sweep, const Row& row) {
  const Space& space = sweep.description.space;
  std::string text = fmt::format("// The best of a sweep: {}.\n#pragma once\n", space.text(row.configuration));
  for (size_t p = 0; p < row.configuration.size(); ++p) {
    const Parameter& parameter = space.parameters()[p];
    if (parameter.kind == Kind::Macro)
      text +=
          fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", parameter.name, space.value(row.configuration, p).text);
  }
  return text;
}

}  // namespace drywarp::sweep
