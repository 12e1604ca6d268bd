#include "faces/cli/targets/calls_of_findings.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include "faces/cli/targets/call_lines.h"
#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {

void name_calls(std::vector<Finding>& findings) {
  std::vector<std::string*> places;
  const auto take = [&](CodeLine& code) {
    if (code.line == 0 && code.ptx_line == 0 && !code.file.empty()) places.push_back(&code.file);
  };
  for (Finding& f : findings) {
    if (f.allocation) places.push_back(&f.allocation->made);
    take(f.where);
    if (f.other) take(f.other->where);
  }
  std::vector<std::string> callers;
  for (const std::string* place : places) callers.push_back(*place);
  for (const Finding& f : findings) {
    for (const HostFrame& h : f.launched) callers.push_back(h.file);
    if (f.other)
      for (const HostFrame& h : f.other->launched) callers.push_back(h.file);
  }
  const Result<compile::Installation> installation = compile::find_installation(false);
  const CallLines lines(callers, installation ? installation->include : std::string());
  for (Finding& f : findings)
    if (f.allocation) f.allocation->calls = lines.frames(f.allocation->made);
  for (std::string* place : places) *place = lines.line(*place);
  const auto name = [&](std::vector<HostFrame>& frames) {
    std::vector<HostFrame> named;
    for (const HostFrame& h : frames) std::ranges::copy(lines.frames(h.file), std::back_inserter(named));
    // A program without symbols: its own first address.
    if (!named.empty() || frames.empty())
      frames = std::move(named);
    else
      frames.resize(1);
  };
  for (Finding& f : findings) {
    name(f.launched);
    if (f.other) name(f.other->launched);
  }
  const auto split = [](CodeLine& code) {
    // "app.cu:12 in main"
    const std::string place = code.file.substr(0, code.file.find(" in "));
    const size_t colon = place.rfind(':');
    uint32_t line = 0;
    if (code.line != 0 || code.ptx_line != 0 || colon == place.npos) return;
    const auto [end, problem] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
    if (problem == std::errc() && end == place.data() + place.size())
      code.file = place.substr(0, colon), code.line = line;
  };
  std::vector<Finding> merged;
  for (Finding& f : findings) {
    split(f.where);
    if (f.other) split(f.other->where);
    add(merged, std::vector{std::move(f)});
  }
  findings = std::move(merged);
}

}  // namespace drywarp::cli
