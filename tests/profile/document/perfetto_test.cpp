// A trace that Perfetto opens (page/tests/browser/perfetto.test.ts opens one): complete events in order, each within
// the one that holds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "drawn_profile.h"
#include "profile/document/trace.h"
#include "profile/document/writers.h"

namespace drywarp::document {
namespace {

// By track.
std::map<int, std::vector<Json>> slices_of(const Json& trace) {
  std::map<int, std::vector<Json>> tracks;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X") tracks[event["tid"].get<int>()].push_back(event);
  return tracks;
}

void expect_well_formed(const Json& trace) {
  std::set<int> processes, tracks;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      ASSERT_TRUE(event.at("args").is_object());
      if (event["name"] == "process_name") EXPECT_TRUE(processes.insert(event.at("pid").get<int>()).second);
      if (event["name"] == "thread_name") EXPECT_TRUE(tracks.insert(event.at("tid").get<int>()).second);
      continue;
    }
    ASSERT_EQ(event.at("ph"), "X");
    EXPECT_TRUE(event.at("name").is_string() && event.at("cat").is_string() && event.at("args").is_object());
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_TRUE(processes.contains(event.at("pid").get<int>())) << event;
    EXPECT_TRUE(tracks.contains(event.at("tid").get<int>())) << event;
  }
  for (const auto& [track, slices] : slices_of(trace)) {
    std::vector<int64_t> open;  // ends of the slices around this one, in nanoseconds
    int64_t last = 0;
    for (const Json& slice : slices) {
      const int64_t start = std::llround(slice["ts"].get<double>() * 1000),
                    end = std::llround((slice["ts"].get<double>() + slice["dur"].get<double>()) * 1000);
      EXPECT_GE(start, last) << slice;
      last = start;
      while (!open.empty() && open.back() <= start) open.pop_back();
      if (!open.empty()) EXPECT_LE(end, open.back()) << slice;
      open.push_back(end);
    }
  }
}

Json written(const Trace& trace) {
  std::ostringstream out;
  trace.write(out);
  return Json::parse(out.str());
}

TEST(Trace, SlicesThatOverlapGetTracksOfTheirOwn) {
  Trace trace;
  const unsigned process = trace.process("p");
  trace.tracks(process, "t", {{"b", "c", 5, 10}, {"a", "c", 0, 10}, {"d", "c", 10, 1}, {"e", "c", 15, 0.0004}});
  const Json json = written(trace);
  expect_well_formed(json);
  EXPECT_EQ(slices_of(json).size(), 2u);
}
TEST(Trace, SlicesStandInOrderWithTheirHolderFirst) {
  Trace trace;
  trace.track(trace.process("p"), "t", {{"inner", "c", 1, 2}, {"outer", "c", 1, 5.00049}, {"last", "c", 6.0005, 1}});
  const Json json = written(trace);
  expect_well_formed(json);
  EXPECT_EQ(slices_of(json).begin()->second[0]["name"], "outer");
}
// Microseconds, as the format says: some versions of Perfetto read all times in the unit to display.
TEST(Trace, NamesNoUnitToDisplay) {
  Trace trace;
  trace.track(trace.process("p"), "t", {{"a", "c", 1, 2}});
  EXPECT_FALSE(written(trace).contains("displayTimeUnit"));
}

TEST(Perfetto, HasCallsKernelsBlocksAndStalls) {
  std::filesystem::current_path(DRYWARP_SOURCE_DIR);
  record::Profile profile = drawn_profile("tests/golden/report/sample.cu");
  profile.api_calls[0].start_seconds = -0.01;  // it began before the clock did
  std::ostringstream out;
  write_perfetto(out, *report_document({{"run.dwprof", &profile}}));
  const Json trace = Json::parse(out.str());
  expect_well_formed(trace);
  std::map<std::string, std::vector<Json>> by_category;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X") by_category[event["cat"]].push_back(event);
  ASSERT_EQ(by_category["api"].size(), 3u);
  EXPECT_EQ(by_category["api"][0]["ts"], 0);
  ASSERT_EQ(by_category["kernel"].size(), 2u);
  const Json& kernel = by_category["kernel"][0];
  EXPECT_EQ(kernel["name"], "transpose(float const*, float*, int)");
  EXPECT_EQ(kernel["dur"], 20);  // microseconds
  EXPECT_EQ(kernel["args"]["grid"], "1024 x 1 x 1");
  EXPECT_EQ(kernel["args"]["gld_efficiency [%]"], 100);
  EXPECT_EQ(by_category["copy"].size(), 1u);
  EXPECT_EQ(by_category["block"].size(), 3u);
  EXPECT_EQ(by_category["warp"].size(), 2u);
  ASSERT_EQ(by_category["stall"].size(), 3u);
  EXPECT_EQ(by_category["stall"][0]["name"], "long_scoreboard");
}

}  // namespace
}  // namespace drywarp::document
