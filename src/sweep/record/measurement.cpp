#include "sweep/record/measurement.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::sweep {
namespace {

constexpr const char* kOutcomes[] = {"ok",      "does not compile", "does not fit",  "wrong",
                                     "crashed", "timed out",        "out of memory", "failed"};

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
std::optional<T> optional_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->template get<T>();
}

std::string text_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

const char* key(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

std::optional<Outcome> parse_outcome(std::string_view key) {
  const auto* found = std::ranges::find(kOutcomes, key);
  if (found == std::end(kOutcomes)) return std::nullopt;
  return static_cast<Outcome>(found - kOutcomes);
}

Json to_json(const Measurement& m) {
  Json kernels = Json::array();
  for (const MeasuredKernel& k : m.kernels)
    kernels.push_back({{"name", k.name},
                       {"launches", k.launches},
                       {"registers", k.registers},
                       {"grid", k.grid},
                       {"block", k.block},
                       {"seconds", optional_json(k.seconds)},
                       {"occupancy", optional_json(k.occupancy)},
                       {"limiter", k.limiter.empty() ? Json() : Json(k.limiter)}});
  return {{"drywarp_measurement", 1},
          {"outcome", key(m.outcome)},
          {"reason", m.reason.empty() ? Json() : Json(m.reason)},
          {"stage", key(m.stage)},
          {"seconds", optional_json(m.seconds)},
          {"extrapolated", m.extrapolated},
          {"least_cycles", optional_json(m.cycles)},
          {"occupancy", optional_json(m.occupancy)},
          {"registers", optional_json(m.registers)},
          {"kernels", std::move(kernels)},
          {"host_seconds", m.host_seconds}};
}

Result<Measurement> parse_measurement(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return error(fmt::format("{} is no measurement", where));
  const auto outcome = parse_outcome(text_of(json, "outcome"));
  const auto stage = parse_stage(text_of(json, "stage"));
  if (!outcome || !stage) return error(fmt::format("{} is no measurement", where));
  Measurement m;
  m.outcome = *outcome, m.stage = *stage;
  m.reason = text_of(json, "reason");
  m.seconds = optional_of<double>(json, "seconds");
  m.extrapolated = json.contains("extrapolated") && json["extrapolated"] == true;
  m.cycles = optional_of<double>(json, "least_cycles");
  m.occupancy = optional_of<double>(json, "occupancy");
  m.registers = optional_of<uint32_t>(json, "registers");
  m.host_seconds = optional_of<double>(json, "host_seconds").value_or(0);
  if (const auto kernels = json.find("kernels"); kernels != json.end() && kernels->is_array())
    for (const Json& k : *kernels)
      m.kernels.push_back({text_of(k, "name"), optional_of<uint64_t>(k, "launches").value_or(0),
                           optional_of<uint32_t>(k, "registers").value_or(0), text_of(k, "grid"), text_of(k, "block"),
                           optional_of<double>(k, "seconds"), optional_of<double>(k, "occupancy"),
                           text_of(k, "limiter")});
  return m;
}

}  // namespace drywarp::sweep
