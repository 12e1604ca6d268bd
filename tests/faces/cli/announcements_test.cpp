// A program's launches, as the drywarp that started it hears of them, and the lines of `drywarp ncu` about them.
#include "faces/cli/targets/announcements.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "faces/cli/commands/ncu_output.h"

namespace drywarp::cli {
namespace {

using cuda::Announcement;
using cuda::Announcer;

const std::string kSocket = "/tmp/drywarp_announcements_test." + std::to_string(getpid());

TEST(Announcements, AreHeardBeforeTheProgramGoesOn) {
  std::vector<Announcement> heard;
  {
    auto listening = Announcements::at(kSocket, [&](const Announcement& what) { heard.push_back(what); });
    ASSERT_TRUE(listening);
    Announcer announcer(kSocket);
    announcer.say({Announcement::Kind::Process, 42, 0, "./app 'a b'\n"});
    ASSERT_EQ(heard.size(), 1u);
    announcer.say({Announcement::Kind::Launch, 7, 3, " f(int)"});
    ASSERT_EQ(heard.size(), 2u);
    if (const pid_t child = fork(); child == 0) {  // a forked child has nothing to say
      announcer.say({Announcement::Kind::Launch, 8, 3, "f(int)"});
      _exit(0);
    } else {
      waitpid(child, nullptr, 0);
    }
    Announcer second(kSocket);
    second.say({Announcement::Kind::Process, 43, 0, ""});
  }
  unlink(kSocket.c_str());
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].text, "./app 'a b'\n");
  EXPECT_EQ(heard[1].kind, Announcement::Kind::Launch);
  EXPECT_EQ(heard[1].number, 7u);
  EXPECT_EQ(heard[1].stream, 3u);
  EXPECT_EQ(heard[1].text, " f(int)");
  EXPECT_EQ(heard[2].number, 43u);
}

TEST(Announcements, WithoutAListenerNothingHappens) {
  Announcer("/nonexistent/socket").say({});
  Announcer(kSocket + ".nobody").say({});
  Announcer(std::string(200, 'x')).say({});
  EXPECT_FALSE(Announcements::at(std::string(200, 'x'), [](const Announcement&) {}));
  EXPECT_FALSE(Announcement::parse(""));
  EXPECT_FALSE(Announcement::parse("X 1 1 f"));
  EXPECT_FALSE(Announcement::parse("L 1"));
}

// As ncu 2025.3.1 wrote them on an H200.
TEST(NcuProfilingLines, NameLaunchesAsTheyWereChosen) {
  const auto line = [](NcuOptions options) {
    return profiling_line(options, {Announcement::Kind::Launch, 2, 0, "copy(float*, float const*, int)"}, 3);
  };
  const std::string passes = ": 0%....50%....100% - 1 pass\n";
  NcuOptions all;
  EXPECT_EQ(line(all), "==PROF== Profiling \"copy\" - 3" + passes);
  all.kernel = "";
  EXPECT_EQ(line(all), "==PROF== Profiling \"copy\" - 3" + passes);
  all.count = 5;
  EXPECT_EQ(line(all), "==PROF== Profiling \"copy\" - 3 (4/5)" + passes);
  NcuOptions by_name;
  by_name.kernel = "regex:";
  EXPECT_EQ(line(by_name), "==PROF== Profiling \"copy\"" + passes);
  for (const auto& [id, named] : {std::pair("::copy:2", true), std::pair(":7:regex:^co:", true),
                                  std::pair(":::.*2|1", true), std::pair("::regex:^co:", false)}) {
    NcuOptions by_id;
    by_id.kernel_id = id;
    EXPECT_EQ(line(by_id), (named ? "==PROF== Profiling \"1:7:copy:2\"" : "==PROF== Profiling \"copy\"") + passes)
        << id;
  }
}

}  // namespace
}  // namespace drywarp::cli
