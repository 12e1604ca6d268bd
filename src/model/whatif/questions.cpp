// Questions as users write them, and what they mean.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/device/device_spec.h"
#include "model/whatif/what_if.h"

namespace drywarp::whatif {
namespace {

constexpr struct {
  const char *key, *text;
} kScenarioTable[] = {
#define DW_SCENARIO(name, key, text, change) {key, text},
#include "model/whatif/scenarios.def"
};

constexpr struct {
  const char *key, *value, *text;
} kSettingTable[] = {
#define DW_SETTING(name, key, value, text) {key, value, text},
#include "model/whatif/settings.def"
};

// The values that a setting of a number can have.
constexpr struct {
  Setting setting;
  uint32_t least, most;
} kNumbers[] = {{Setting::BlockSize, 32, 1024}, {Setting::Registers, 16, 255}, {Setting::Carveout, 0, 100}};

constexpr std::string_view kLinePrefix = "line ", kMoreWarps = "more-warps";
constexpr uint32_t kMostWarps = 64;  // an SM has no more slots

std::optional<uint32_t> parse_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "registers=32" in two.
std::pair<std::string_view, std::string_view> split(std::string_view question) {
  const size_t at = question.find('=');
  if (at == std::string_view::npos) return {question, {}};
  return {question.substr(0, at), question.substr(at + 1)};
}

std::optional<Setting> parse_setting(std::string_view key) {
  for (unsigned s = 0; s < kSettings; ++s)
    if (key == kSettingTable[s].key) return static_cast<Setting>(s);
  return std::nullopt;
}

Diagnostic no_question(std::string_view text) {
  std::string known = fmt::format("known are: all, line FILE:LINE, line FILE:FIRST-LAST, {}=COUNT", kMoreWarps);
  for (const auto& setting : kSettingTable) known += fmt::format(", {}={}", setting.key, setting.value);
  for (const auto& scenario : kScenarioTable) known += std::string(", ") + scenario.key;
  return error(fmt::format("'{}' is no what-if", text), known);
}

Diagnostic out_of_range(std::string_view text, uint32_t least, uint32_t most) {
  return error(fmt::format("'{}' is no what-if", text),
               fmt::format("the value is a number from {} to {}", least, most));
}

Result<ChosenSetting> chosen(Setting setting, std::string_view text, std::string_view value) {
  if (setting == Setting::Device) {
    if (value.empty()) return error("'device' is no what-if", "name a GPU: device=h100; `drywarp devices` lists them");
    if (auto device = device::load_device(std::string(value)); !device) return device.problem();
  } else if (text.find('=') != std::string_view::npos) {
    const auto range = *std::ranges::find(kNumbers, setting, [](const auto& n) { return n.setting; });
    const auto number = parse_number(value);
    if (!number || *number < range.least || *number > range.most) return out_of_range(text, range.least, range.most);
    if (setting == Setting::BlockSize && *number % 32 != 0)
      return error(fmt::format("'{}' is no what-if", text), "a block of whole warps has a multiple of 32 threads");
  }
  return ChosenSetting{setting, std::string(value)};
}

Result<Question> parse_question(std::string_view text) {
  const auto [name, value] = split(text);
  if (const auto scenario = parse_scenario(text)) return Question{std::string(text), *scenario};
  if (const auto lines =
          text.starts_with(kLinePrefix) ? parse_line_range(std::string(text.substr(kLinePrefix.size()))) : std::nullopt)
    return Question{std::string(text), *lines};
  if (name == kMoreWarps) {
    const auto warps = parse_number(value);
    if (!warps || *warps == 0 || *warps > kMostWarps) return out_of_range(text, 1, kMostWarps);
    return Question{std::string(text), MoreWarps{*warps}};
  }
  if (const auto setting = parse_setting(name)) {
    auto change = chosen(*setting, text, value);
    if (!change) return change.problem();
    return Question{std::string(text), std::move(*change)};
  }
  return no_question(text);
}

}  // namespace

const char* key(Scenario scenario) { return kScenarioTable[unsigned(scenario)].key; }
const char* text(Scenario scenario) { return kScenarioTable[unsigned(scenario)].text; }
const char* key(Setting setting) { return kSettingTable[unsigned(setting)].key; }
const char* value_name(Setting setting) { return kSettingTable[unsigned(setting)].value; }
const char* text(Setting setting) { return kSettingTable[unsigned(setting)].text; }

std::optional<Scenario> parse_scenario(std::string_view key) {
  for (unsigned s = 0; s < kScenarios; ++s)
    if (key == kScenarioTable[s].key) return static_cast<Scenario>(s);
  return std::nullopt;
}

Result<std::vector<Question>> parse_questions(std::string_view text) {
  std::vector<Question> questions;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one != "all") {
      auto question = parse_question(one);
      if (!question) return question.problem();
      questions.push_back(std::move(*question));
      continue;
    }
    for (unsigned s = 0; s < kScenarios; ++s) questions.push_back({kScenarioTable[s].key, static_cast<Scenario>(s)});
    for (unsigned s = 0; s < kSettings; ++s)
      if (Setting(s) != Setting::Device)
        questions.push_back({kSettingTable[s].key, ChosenSetting{static_cast<Setting>(s), {}}});
  }
  return questions;
}

bool is_setting(std::string_view question) { return parse_setting(split(question).first).has_value(); }

std::string meaning(std::string_view question) {
  if (const auto scenario = parse_scenario(question)) return text(*scenario);
  const auto [name, value] = split(question);
  if (const auto setting = parse_setting(name)) return fmt::format(fmt::runtime(text(*setting)), value);
  if (name == kMoreWarps) return fmt::format("{} more warps fit on an SM, in whole blocks", value);
  return fmt::format("only {} costs time", question.substr(kLinePrefix.size()));
}

}  // namespace drywarp::whatif
