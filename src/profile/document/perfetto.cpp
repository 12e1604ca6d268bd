// A document as a trace for ui.perfetto.dev. docs/report.md states its conventions: the host's time is measured, the
// GPU's modelled, and a cycle of a drawn launch is shown as a microsecond, because the format ends at nanoseconds.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profile/document/trace.h"
#include "profile/document/writers.h"

namespace drywarp::document {
namespace {

constexpr double kMicroseconds = 1e6;  // a second

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
std::string extent_text(const Json& e) {
  return fmt::format("{} x {} x {}", text_of(e[0]), text_of(e[1]), text_of(e[2]));
}

class Writer {
 public:
  Writer(const Json& document, const Json& profile, Trace& trace)
      : document_(document), profile_(profile), trace_(trace) {}

  void add() {
    add_api();
    add_gpu();
    for (const Json& kernel : profile_["kernels"])
      if (!kernel["drawn"].is_null() && !kernel["drawn"]["timeline"].is_null()) add_drawn(kernel);
  }

 private:
  unsigned process(const std::string& name) {
    const bool several = document_["profiles"].size() > 1;
    return trace_.process(several ? fmt::format("{}: {}", text_of(profile_["title"]), name) : name);
  }

  void add_api() {
    // The first call begins before the clock does.
    double begin = 0;
    for (const Json& call : profile_["api_calls"]) begin = std::min(begin, call[1].get<double>());
    std::vector<Slice> slices;
    for (const Json& call : profile_["api_calls"])
      slices.push_back({text_of(profile_["api"][call[0].get<size_t>()]["name"]), "api",
                        (call[1].get<double>() - begin) * kMicroseconds, call[2].get<double>() * kMicroseconds});
    if (!slices.empty())
      trace_.tracks(process("Host: CUDA calls, measured on this machine"), "CUDA calls", std::move(slices));
  }

  // The metrics that reports show without being asked for.
  [[nodiscard]] Json metrics_of(const Json& values) const {
    Json all = Json::object();
    const Json& metrics = document_["metrics"];
    for (size_t i = 0; i < values.size(); ++i)
      if (metrics[i]["shown"].get<bool>() && !values[i].is_null())
        all[fmt::format("{} [{}]", text_of(metrics[i]["name"]), text_of(metrics[i]["unit"]))] = values[i];
    return all;
  }

  [[nodiscard]] Slice launch_slice(size_t index) const {
    const Json& launch = profile_["launches"][index];
    Slice slice{text_of(profile_["kernels"][launch["kernel"].get<size_t>()]["name"]), "kernel"};
    slice.args = {{"launch", index},
                  {"grid", extent_text(launch["grid"])},
                  {"block", extent_text(launch["block"])},
                  {"registers a thread", launch["registers"]},
                  {"dynamic shared [byte]", launch["dynamic_shared"]}};
    if (!launch["limiter"].is_null()) slice.args["limiter"] = launch["limiter"]["text"];
    slice.args.update(metrics_of(launch["values"]));
    return slice;
  }

  [[nodiscard]] Slice transfer_slice(size_t index) const {
    const Json& transfer = profile_["transfers"][index];
    Slice slice{text_of(transfer["kind"]), "copy"};
    slice.args = {{"transfer", index}, {"bytes", transfer["bytes"]}, {"pinned", transfer["pinned"]}};
    return slice;
  }

  void add_gpu() {
    const Json& streams = profile_["timeline"]["streams"];
    if (streams.empty()) return;
    const unsigned gpu = process("GPU: kernels and copies, modelled");
    for (const Json& stream : streams) {
      std::vector<Slice> slices;
      for (const Json& span : stream["spans"]) {
        const auto index = span[3].get<size_t>();
        Slice slice = span[2] == "launch" ? launch_slice(index) : transfer_slice(index);
        slice.start = span[0].get<double>() * kMicroseconds, slice.duration = span[1].get<double>() * kMicroseconds;
        slices.push_back(std::move(slice));
      }
      trace_.track(gpu, fmt::format("stream {}", text_of(stream["stream"])), std::move(slices));
    }
  }

  void add_drawn(const Json& kernel) {
    const Json& timeline = kernel["drawn"]["timeline"];
    const std::string what = fmt::format("{}, launch {}", text_of(kernel["name"]), text_of(kernel["drawn"]["launch"]));
    add_blocks(timeline, what);
    add_warps(timeline, what);
  }

  void add_blocks(const Json& timeline, const std::string& what) {
    std::map<std::pair<unsigned, unsigned>, std::vector<Slice>> slots;
    for (const Json& b : timeline["blocks"])
      slots[{b[0].get<unsigned>(), b[1].get<unsigned>()}].push_back({fmt::format("block {}", text_of(b[2])), "block",
                                                                     b[3].get<double>(),
                                                                     b[4].get<double>() - b[3].get<double>()});
    const unsigned blocks = process(what + ": blocks on SMs, modelled (1 us = 1 cycle)");
    for (auto& [slot, slices] : slots)
      trace_.track(blocks, fmt::format("SM {} slot {}", slot.first, slot.second), std::move(slices));
  }

  // A warp's slice holds those of its stalls; where there is none it issues.
  void add_warps(const Json& timeline, const std::string& what) {
    std::map<std::pair<unsigned, unsigned>, std::vector<Slice>> slots;
    for (const Json& w : timeline["warps"]) {
      std::vector<Slice>& slices = slots[{w["scheduler"].get<unsigned>(), w["slot"].get<unsigned>()}];
      const auto start = w["start"].get<double>();
      slices.push_back({fmt::format("block {} warp {}", text_of(w["block"]), text_of(w["warp"])), "warp", start,
                        w["end"].get<double>() - start});
      for (const Json& s : w["segments"])
        slices.push_back({text_of(document_["stalls"][s[2].get<size_t>()]["name"]), "stall", s[0].get<double>(),
                          s[1].get<double>() - s[0].get<double>()});
    }
    const unsigned warps =
        process(fmt::format("{}: warps of SM {}, modelled (1 us = 1 cycle)", what, text_of(timeline["sm"])));
    for (auto& [slot, slices] : slots)
      trace_.track(warps, fmt::format("scheduler {} warp slot {}", slot.first, slot.second), std::move(slices));
  }

  const Json &document_, &profile_;
  Trace& trace_;
};

}  // namespace

void write_perfetto(std::ostream& out, const Json& document) {
  Trace trace;
  for (const Json& profile : document["profiles"]) Writer(document, profile, trace).add();
  trace.write(out);
}

}  // namespace drywarp::document
