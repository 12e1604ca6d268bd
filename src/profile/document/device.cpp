// The device that a profile is of: as its file was when the program ran.
#include <fmt/format.h>

#include <map>

#include "base/access/access_pattern.h"
#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

Json optional_number(const std::optional<uint64_t>& value) { return value ? Json(*value) : Json(); }

// What the drawings of the machine need. null: the device's file does not say.
void add_machine(const device::DeviceSpec& d, Json& out) {
  const SharedBanks banks = shared_banks(d);
  out["sms"] = d.multiprocessors;
  out["schedulers_per_sm"] = d.sub_partitions;
  out["warps_per_sm"] = d.max_warps_per_multiprocessor();
  out["blocks_per_sm"] = d.max_blocks_per_multiprocessor;
  out["threads_per_sm"] = d.max_threads_per_multiprocessor;
  out["threads_per_block"] = d.max_threads_per_block;
  out["registers_per_sm"] = d.registers_per_multiprocessor;
  out["shared_per_sm"] = d.shared_per_multiprocessor;
  out["shared_per_block"] = d.shared_per_block_optin;
  out["warp"] = d.warp_size;
  out["sm_clock_hz"] = uint64_t{d.sm_clock_khz} * 1000;
  out["memory_bytes"] = d.total_memory;
  out["shared_banks"] = {{"count", banks.count}, {"word_bytes", banks.word_bytes}, {"bank_bytes", banks.bank_bytes}};
  out["l1"] = {{"bytes", optional_number(d.timing.l1.bytes)},
               {"line_bytes", optional_number(d.timing.l1.line_bytes)},
               {"sector_bytes", optional_number(d.timing.l1.sector_bytes)}};
  out["l2"] = {{"bytes", d.l2_bytes},
               {"line_bytes", optional_number(d.timing.l2.line_bytes)},
               {"sector_bytes", optional_number(d.timing.l2.sector_bytes)},
               {"slices", optional_number(d.timing.l2.slices)}};
  out["dram"] = {{"channels", optional_number(d.timing.dram.channels)},
                 {"banks_per_channel", optional_number(d.timing.dram.banks)},
                 {"row_bytes", optional_number(d.timing.dram.row_bytes)},
                 {"burst_bytes", optional_number(d.timing.dram.burst_bytes)},
                 {"bytes_per_second", optional_number(d.dram_bytes_per_second)}};
}

// A text as TOML, whose basic strings have JSON's escapes.
std::string quoted(const std::string& text) { return report::text(Json(text)); }

// The device file that has these numbers.
std::string device_file(const record::Profile& profile) {
  const record::KeptFacts& kept = profile.kept;
  std::string file = fmt::format("name = {}\narchitecture = {}\n", quoted(profile.device), quoted(kept.architecture));
  std::map<std::pair<std::string, std::string>, std::string> sources;  // by kind and text
  std::map<std::string, std::string> tables;
  for (const record::DeviceNumber& n : kept.device_numbers) {
    const auto [source, is_new] = sources.try_emplace({n.kind, n.source}, fmt::format("s{}", sources.size()));
    if (is_new)
      file += fmt::format("[sources.{}]\nkind = {}\ntext = {}\n", source->second, quoted(n.kind), quoted(n.source));
    const size_t point = n.path.find('.');
    if (point == std::string::npos) continue;
    tables[n.path.substr(0, point)] += fmt::format("{} = {{ value = {}, source = \"{}\" }}\n",
                                                   quoted(n.path.substr(point + 1)), n.value, source->second);
  }
  for (const auto& [name, numbers] : tables) file += fmt::format("[{}]\n{}", name, numbers);
  return file;
}

}  // namespace

std::optional<device::DeviceSpec> device_of(const record::Profile& profile) {
  auto device = profile.kept.device_numbers.empty()
                    ? device::load_device(profile.device)
                    : device::parse_device(device_file(profile), "the profile", profile.kept.device_id);
  return device ? std::optional(std::move(*device)) : std::nullopt;
}

Json device_json(const device::DeviceSpec& device) {
  Json out = {
      {"name", device.name},
      {"id", device.id},
      {"architecture", device.architecture},
      {"compute_capability", fmt::format("{}.{}", device.compute_capability.major, device.compute_capability.minor)},
      {"known", true}};
  add_machine(device, out);
  Json numbers = Json::array();
  for (const auto& [path, origin] : device.origins)
    numbers.push_back({{"path", path},
                       {"value", device.texts.at(path)},
                       {"kind", device::name(origin.kind)},
                       {"source", origin.source}});
  out["numbers"] = std::move(numbers);
  return out;
}

Json device_json(const Subject& s) {
  if (s.device) return device_json(*s.device);
  const record::KeptFacts& kept = s.profile.kept;
  Json out = {{"name", s.profile.device},
              {"id", report::text_or_null(kept.device_id)},
              {"architecture", report::text_or_null(kept.architecture)},
              {"compute_capability", report::text_or_null(kept.compute_capability)},
              {"known", false}};
  Json numbers = Json::array();
  for (const record::DeviceNumber& n : kept.device_numbers)
    numbers.push_back({{"path", n.path}, {"value", n.value}, {"kind", n.kind}, {"source", n.source}});
  out["numbers"] = std::move(numbers);
  return out;
}

}  // namespace drywarp::document
