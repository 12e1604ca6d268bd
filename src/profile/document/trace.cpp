#include "profile/document/trace.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <tuple>

namespace drywarp::document {
namespace {

using report::Json;

void sort_by_time(std::vector<Slice>& slices) {
  std::ranges::stable_sort(slices, [](const Slice& a, const Slice& b) {
    return std::tuple(a.start, -a.duration) < std::tuple(b.start, -b.duration);
  });
}

// Readers count in whole nanoseconds: both ends are rounded, so that slices stay within each other.
double whole_nanoseconds(double microseconds) { return std::round(microseconds * 1000) / 1000; }

Json slice_json(const Slice& s, unsigned process, unsigned track) {
  const double start = whole_nanoseconds(s.start), end = whole_nanoseconds(s.start + s.duration);
  return {{"ph", "X"},
          {"name", s.name},
          {"cat", s.category},
          {"pid", process},
          {"tid", track},
          {"ts", start},
          {"dur", whole_nanoseconds(end - start)},
          {"args", s.args}};
}

Json metadata(const char* what, unsigned process, unsigned track, Json args) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", std::move(args)}};
}

}  // namespace

unsigned Trace::process(const std::string& name) {
  processes_.push_back(name);
  return static_cast<unsigned>(processes_.size());
}

void Trace::track(unsigned process, const std::string& name, std::vector<Slice> slices) {
  sort_by_time(slices);
  tracks_.push_back({process, name, std::move(slices)});
}

void Trace::tracks(unsigned process, const std::string& name, std::vector<Slice> slices) {
  sort_by_time(slices);
  std::vector<std::vector<Slice>> lanes;
  for (Slice& slice : slices) {
    const auto free = std::ranges::find_if(
        lanes, [&](const std::vector<Slice>& lane) { return lane.back().start + lane.back().duration <= slice.start; });
    if (free == lanes.end())
      lanes.push_back({std::move(slice)});
    else
      free->push_back(std::move(slice));
  }
  for (auto& lane : lanes) tracks_.push_back({process, name, std::move(lane)});
}

// One event a line. Numbers of tracks are unique in the trace: some readers ignore the process.
void Trace::write(std::ostream& out) const {
  // No displayTimeUnit: some versions of Perfetto read all times in that unit.
  out << "{\"traceEvents\":[";
  const char* separator = "\n";
  const auto event = [&](const Json& json) { out << std::exchange(separator, ",\n") << report::text(json); };
  for (unsigned p = 1; p <= processes_.size(); ++p) {
    event(metadata("process_name", p, 0, {{"name", processes_[p - 1]}}));
    event(metadata("process_sort_index", p, 0, {{"sort_index", p}}));
  }
  const auto first = static_cast<unsigned>(processes_.size() + 1);
  for (unsigned t = 0; t < tracks_.size(); ++t) {
    const Track& track = tracks_[t];
    event(metadata("thread_name", track.process, first + t, {{"name", track.name}}));
    event(metadata("thread_sort_index", track.process, first + t, {{"sort_index", t}}));
    for (const Slice& s : track.slices) event(slice_json(s, track.process, first + t));
  }
  out << "\n]}\n";
}

}  // namespace drywarp::document
