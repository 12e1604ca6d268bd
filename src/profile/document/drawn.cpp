// What happened in a kernel, to draw it. Here: the costliest access of each of its memory instructions, with the lanes'
// addresses.
#include <algorithm>

#include "base/access/bank_turns.h"
#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

// The kernels that take longest are drawn cycle by cycle: each takes up to a megabyte.
constexpr size_t kMostTimelines = 16;

constexpr const char* kMemories[] = {"global", "shared", "local"};
constexpr const char* kSharedOps[] = {"load", "generic_load", "store", "atomic", "swap", "copy", "copy_past_l1"};

const char* kind_of(const AccessSample& sample, const InstructionInfo& at) {
  if (sample.atomic || at.atomic) return "atomic";
  return at.store && !at.load ? "store" : "load";
}

uint32_t ideal_of(const AccessSample& s) {
  switch (s.memory) {
    case Memory::Global:
      return analyze_global(s.addresses.data(), s.lanes, s.size).ideal_sectors;
    case Memory::Local:
      return analyze_local(s.addresses.data(), s.lanes, s.size).ideal_sectors;
    case Memory::Shared:
      return analyze_shared(s.addresses.data(), s.lanes, s.size, s.op, s.banks).ideal_wavefronts;
  }
  return 0;
}

// By pass, the words that each busy bank serves, and their lanes.
Json passes_json(const AccessSample& s) {
  Json passes = Json::array();
  for (const BankTurn& turn : bank_turns(s.addresses.data(), s.lanes, s.size, s.op, s.banks))
    for (const auto& pass : turn.passes) {
      Json cells = Json::array();
      for (size_t bank = 0; bank < pass.size(); ++bank)
        if (pass[bank].lanes != 0)
          cells.push_back({{"bank", bank}, {"word", pass[bank].word}, {"lanes", pass[bank].lanes}});
      passes.push_back(std::move(cells));
    }
  return passes;
}

Json access_json(const record::SampleRecord& record, const report::InstructionModel& at, size_t instruction) {
  const AccessSample& s = record.sample;
  const bool shared = s.memory == Memory::Shared;
  Json addresses = Json::array();
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    addresses.push_back((s.lanes >> lane & 1) != 0 ? Json(s.addresses[lane]) : Json());
  return {{"instruction", instruction},
          {"launch", record.launch},
          {"memory", kMemories[static_cast<size_t>(s.memory)]},
          {"kind", kind_of(s, *at.info)},
          {"bytes", s.size},
          {"block", s.block},
          {"warp", s.warp},
          {"lanes", s.lanes},
          {"addresses", std::move(addresses)},
          {shared ? "wavefronts" : "sectors", s.units},
          {"ideal", ideal_of(s)},
          {"op", shared ? Json(kSharedOps[static_cast<size_t>(s.op)]) : Json()},
          {"banks", shared ? Json{{"count", s.banks.count}, {"word_bytes", s.banks.word_bytes}} : Json()},
          {"passes", shared ? passes_json(s) : Json()}};
}

Json accesses_json(const Subject& s, const report::KernelModel& kernel) {
  std::map<uint32_t, const record::SampleRecord*> samples;  // by access; a later sample is a costlier one
  for (const record::SampleRecord& sample : s.profile.samples)
    if (sample.launch < s.profile.launches.size() &&
        s.profile.kernels[s.profile.launches[sample.launch].kernel]->name == kernel.mangled)
      samples[sample.sample.access] = &sample;
  Json all = Json::array();
  for (size_t i = 0; i < kernel.instructions.size(); ++i)
    if (const auto found = samples.find(kernel.instructions[i].info->access); found != samples.end())
      all.push_back(access_json(*found->second, kernel.instructions[i], i));
  return all;
}

}  // namespace

InstructionPlaces::InstructionPlaces(const report::KernelModel& kernel) {
  for (size_t i = 0; i < kernel.instructions.size(); ++i)
    places_[{kernel.instructions[i].ptx_line, kernel.instructions[i].text}] = i;
}

Json InstructionPlaces::of(const KernelInfo& info, uint32_t instruction) const {
  if (instruction >= info.instructions.size()) return nullptr;
  const InstructionInfo& at = info.instructions[instruction];
  const auto found = places_.find({at.ptx_line, at.text});
  return found == places_.end() ? Json() : Json(found->second);
}

const record::DrawnLaunch* drawn_launch(const Subject& s, const report::KernelModel& kernel) {
  const auto found = std::ranges::find_if(s.profile.drawn, [&](const record::DrawnLaunch& drawn) {
    return drawn.launch < s.profile.launches.size() && kernel_of(s, drawn).name == kernel.mangled;
  });
  return found == s.profile.drawn.end() ? nullptr : &*found;
}

const KernelInfo& kernel_of(const Subject& s, const record::DrawnLaunch& drawn) {
  return *s.profile.kernels[s.profile.launches[drawn.launch].kernel];
}

Json drawn_json(const Subject& s, const report::KernelModel& kernel) {
  Json accesses = accesses_json(s, kernel);
  const record::DrawnLaunch* drawn = drawn_launch(s, kernel);
  if (!drawn && accesses.empty()) return nullptr;
  Json out = {{"launch", drawn ? Json(drawn->launch) : Json()},
              {"accesses", std::move(accesses)},
              {"steps", nullptr},
              {"timeline", nullptr},
              {"timeline_left_out", false}};
  if (drawn) {
    const auto place = static_cast<size_t>(&kernel - s.model.kernels.data());
    out["steps"] = steps_json(*drawn, kernel_of(s, *drawn), InstructionPlaces(kernel));
    if (place < kMostTimelines) out["timeline"] = cycles_json(drawn->timeline);
    out["timeline_left_out"] = place >= kMostTimelines;
  }
  return out;
}

}  // namespace drywarp::document
