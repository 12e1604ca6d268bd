// Limits of processes, and sweeps whose runs are scripts: what crashes is a row, what ended is not run again.
#include "sweep/runs/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/support/whole_file.h"
#include "sweep/plan/search.h"
#include "sweep/runs/driver.h"
#include "sweep/runs/local_runner.h"

namespace drywarp::sweep {
namespace {

using testing::HasSubstr;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/sweep_test_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

Ended run(const Limits& limits, const std::string& script) {
  const Folder folder;
  Pool pool(limits);
  EXPECT_TRUE(pool.start(7, {"/bin/sh", "-c", script}, folder.path + "/log").ok());
  for (;;)
    if (const auto all = pool.ended(); !all.empty()) return all[0];
}

TEST(Pool, tellsHowAProcessEnded) {
  EXPECT_EQ(run({}, "exit 3").exit_code, 3);
  EXPECT_EQ(run({}, "exit 3").row, 7u);
  EXPECT_EQ(run({}, "kill -SEGV $$").signal, SIGSEGV);
}

TEST(Pool, endsAGroupThatTakesTooLong) {
  const Ended end = run({.seconds = 0.2}, "sleep 60 & sleep 60");
  EXPECT_TRUE(end.timed_out);
  EXPECT_LT(end.seconds, 30);
}

TEST(Pool, endsAGroupThatTakesTooMuchMemory) {
  const Ended end = run({.seconds = 30, .bytes = 40 << 20}, "x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 20");
  EXPECT_TRUE(end.over_memory);
}

// A run that appends to a log, and whose time is that of its macro A. A=3 crashes, A=4 gives no result.
std::string script(const std::string& folder) {
  const std::string path = folder + "/measure";
  std::ofstream(path)
      << "#!/bin/sh\n"
         "a=$(sed 's/.*-DA=\\([0-9]*\\).*/\\1/' \"$2\")\n"
         "stage=$(sed 's/.*\"stage\":\"\\([a-z]*\\)\".*/\\1/' \"$2\")\n"
      << "echo $a $stage >> " << folder << "/ran\n"
      << "[ $a = 3 ] && kill -SEGV $$\n[ $a = 4 ] && { echo 'no luck'; exit 5; }\n"
         "echo '{\"outcome\":\"ok\",\"stage\":\"'$stage'\",\"seconds\":'$a'e-6,\"least_cycles\":'$a'}' > \"$4\"\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

Description description(const std::string& search) {
  auto d = parse_description(
      "program=[\"a.cu\"]\nsearch=\"" + search + "\"\n[[parameter]]\nname=\"A\"\nkind=\"macro\"\nvalues=[\"1..8\"]",
      "s.toml");
  EXPECT_TRUE(d.ok());
  return std::move(*d);
}

size_t lines(const std::string& path) {
  const std::string text = read_whole(path).value_or("");
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

TEST(Driver, makesFailuresRowsAndGoesOnWhereItWas) {
  const Folder folder;
  const Description d = description("grid");
  const std::string path = folder.path + "/s.dwsweep";
  auto file = SweepFile::create(path, d, {"1", {{"a.cu", "x"}}}, *candidates(d));
  ASSERT_TRUE(file.ok()) << file.problem().to_string();
  {
    LocalRunner runner({script(folder.path)}, folder.path, {}, 2);
    Sweep sweep = *read_sweep(path);
    size_t ended = 0;
    Driving told;
    told.ended = [&](const Row& row) {
      ++ended;
      EXPECT_TRUE(read_sweep(path)->rows[row.number - 1].measurement) << "a row is kept before anyone hears of it";
    };
    told.stop = [&] { return ended >= 3; };
    const auto whole = drive(sweep, *file, runner, 1, told);
    ASSERT_TRUE(whole.ok());
    EXPECT_FALSE(*whole);
  }
  Sweep sweep = *read_sweep(path);
  const auto there = std::ranges::count_if(sweep.rows, [](const Row& r) { return r.measurement.has_value(); });
  EXPECT_GE(there, 3);
  EXPECT_LT(there, 8);
  std::filesystem::remove(folder.path + "/ran");
  LocalRunner runner({script(folder.path)}, folder.path, {}, 2);
  EXPECT_TRUE(runner.idle());
  const auto whole = drive(sweep, *file, runner, 1, {});
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(*whole);
  EXPECT_TRUE(runner.idle());
  EXPECT_EQ(lines(folder.path + "/ran"), static_cast<size_t>(8 - there));
  const Sweep read = *read_sweep(path);
  EXPECT_EQ(read.origin, (Origin{"1", {{"a.cu", "x"}}}));
  EXPECT_THAT(read.rows[2].measurement->reason, HasSubstr("signal 11"));
  EXPECT_THAT(read.rows[3].measurement->reason, HasSubstr("exit code 5: no luck"));
  EXPECT_EQ(read.rows[7].measurement->seconds, 8e-6);
}

TEST(Driver, halvesOnceHoweverOftenItIsResumed) {
  const Folder folder;
  const Description d = description("halving");
  const std::string path = folder.path + "/s.dwsweep";
  auto file = SweepFile::create(path, d, {}, *candidates(d));
  ASSERT_TRUE(file.ok());
  for (size_t most = 1; most < 20; most += 2) {  // stopped in every round
    LocalRunner runner({script(folder.path)}, folder.path, {}, 1);
    Sweep sweep = *read_sweep(path);
    size_t ended = 0;
    Driving told;
    told.ended = [&](const Row&) { ++ended; };
    told.stop = [&] { return ended >= most; };
    const auto whole = drive(sweep, *file, runner, 1, told);
    ASSERT_TRUE(whole.ok());
    if (*whole) break;
  }
  // Counts of 8; of the 6 that work the better 3 a slice; of those 1 the whole.
  EXPECT_EQ(read_whole(folder.path + "/ran").value_or("").find("8 whole"), std::string::npos);
  const Sweep sweep = *read_sweep(path);
  std::string outcome;
  for (const Row& r : sweep.rows)
    outcome += std::string(key(r.measurement->stage)) + (r.dropped.empty() ? "" : "!") + " ";
  EXPECT_EQ(outcome, "whole slice! counts counts slice! counts! counts! counts! ");
}

}  // namespace
}  // namespace drywarp::sweep
