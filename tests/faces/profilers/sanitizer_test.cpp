#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "faces/profilers/sanitizer/report.h"
#include "profile/report/golden.h"

namespace drywarp::profilers::sanitizer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Finding finding_at(FindingKind kind, const std::string& kernel, uint32_t line, const std::string& what) {
  Finding f;
  f.kind = kind, f.kernel = kernel, f.what = what;
  f.where = {"/src/mem.cu", line, line, "an instruction"};
  f.thread = ThreadPlace{{1, 0, 0}, {0, 0, 0}};
  return f;
}

Finding past() {
  Finding f = finding_at(FindingKind::OutOfBounds, "write_past(int*, int)", 7,
                         "invalid global write of 4 bytes: 0 bytes past the end of a device allocation of 1024 bytes");
  f.bytes = 4, f.address = 0x400, f.times = 64;
  f.allocation = FoundAllocation{1, 1024, "a device allocation", "/src/mem.cu:70 in main"};
  return f;
}
Finding race(FindingKind kind, uint32_t write_line, uint32_t read_line) {
  Finding f = finding_at(kind, "raw(int*)", write_line,
                         "write of shared memory at offset 0x7c, and a read of the same bytes, which nothing orders");
  f.address = 0x7c, f.times = 512;
  f.other = OtherAccess{"read", {"/src/mem.cu", read_line, read_line, "ld"}, ThreadPlace{{1, 0, 0}, {32, 0, 0}}};
  return f;
}
Finding leak() {
  Finding f;
  f.kind = FindingKind::Leak;
  f.what = "a device allocation of 256 bytes is never freed";
  f.allocation = FoundAllocation{2, 256, "a device allocation", "/src/mem.cu:71 in main"};
  return f;
}

Report report_of(CheckTool tool, std::vector<Finding> findings) {
  Report report;
  report.tool = tool, report.findings = std::move(findings), report.program = "mem";
  return report;
}

std::string text(const Report& report, const Style& style = {}) {
  std::ostringstream out;
  write_banner(out, style);
  write_text(out, report, style);
  return out.str();
}

// Word for word what version 2025.3.1 wrote on an H200, without offsets in machine code and frames of the host.
TEST(Sanitizer, WritesWhatWasRecorded) {
  Style style;
  EXPECT_EQ(text(report_of(CheckTool::Memcheck, {past()}), style),
            "========= COMPUTE-SANITIZER\n"
            "========= Invalid __global__ write of size 4 bytes\n"
            "=========     at write_past(int *, int) in mem.cu:7\n"
            "=========     by thread (0,0,0) in block (1,0,0)\n"
            "=========     Access to 0x400 is out of bounds\n"
            "=========     and is 1 bytes after the nearest allocation at 0x0 of size 1,024 bytes\n"
            "========= \n"
            "========= ERROR SUMMARY: 64 errors\n");
  EXPECT_EQ(text(report_of(CheckTool::Racecheck, {race(FindingKind::ReadWrite, 6, 7)}), style),
            "========= COMPUTE-SANITIZER\n"
            "========= Error: Race reported between Write access at raw(int *) in mem.cu:6\n"
            "=========     and Read access at raw(int *) in mem.cu:7 [512 hazards]\n"
            "========= \n"
            "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  Report leaks = report_of(CheckTool::Memcheck, {leak()});
  leaks.leaks = true, leaks.exit_code = 3;
  EXPECT_EQ(text(leaks, style),
            "========= COMPUTE-SANITIZER\n"
            "========= Leaked 256 bytes\n"
            "=========     Saved host backtrace up to driver entry point at allocation time\n"
            "=========         Host Frame: main in mem.cu:71 in mem\n"
            "========= \n"
            "========= Target application returned an error\n"
            "========= LEAK SUMMARY: 256 bytes leaked in 1 allocations\n"
            "========= ERROR SUMMARY: 1 error\n");
}

TEST(Sanitizer, LaunchesHaveTheHostsCalls) {
  Finding f = past();
  f.launched = {{"start(int*)", "/src/mem.cu", 20}, {"plugin_run", "", 0}, {"main", "/src/mem.cu", 75}};
  const Report report = report_of(CheckTool::Memcheck, {f});
  EXPECT_THAT(text(report),
              HasSubstr("nearest allocation at 0x0 of size 1,024 bytes\n"
                        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
                        "=========         Host Frame: start(int*) in mem.cu:20 in mem\n"
                        "=========         Host Frame: plugin_run in mem\n"
                        "=========         Host Frame: main in mem.cu:75 in mem\n"
                        "========= \n"));
  Style style;
  style.host_callers = 1;
  EXPECT_THAT(text(report, style), HasSubstr("start(int*) in mem.cu:20 in mem\n========= \n"));
  style.host_frames = false;
  EXPECT_THAT(text(report, style), Not(HasSubstr("Host Frame")));
  std::ostringstream xml;
  write_xml(xml, report, Style());
  EXPECT_THAT(xml.str(), HasSubstr("      <saveLocation>kernel launch time</saveLocation>\n"
                                   "      <frame>\n"
                                   "        <func>start(int*)</func>\n"
                                   "        <path>/src/mem.cu</path>\n"
                                   "        <line>20</line>\n"
                                   "        <module>mem</module>\n"
                                   "      </frame>\n"
                                   "      <frame>\n"
                                   "        <func>plugin_run</func>\n"
                                   "        <module>mem</module>\n"));
}

TEST(Sanitizer, OtherObjectsThanMemoryAreNoneOfItsLeaks) {
  Finding stream;
  stream.kind = FindingKind::LeftObject, stream.what = "a stream is never destroyed";
  Report report = report_of(CheckTool::Memcheck, {stream, leak()});
  report.leaks = true;
  EXPECT_THAT(text(report),
              HasSubstr("LEAK SUMMARY: 256 bytes leaked in 1 allocations\n========= ERROR SUMMARY: 1 error\n"));
  EXPECT_THAT(text(report), Not(HasSubstr("stream")));
}

TEST(Sanitizer, AWriteThatStandsBehindTheReadIsAWar) {
  Style style;
  style.races = Races::All;
  const std::string all = text(report_of(CheckTool::Racecheck, {race(FindingKind::WarpLevel, 14, 13)}), style);
  EXPECT_THAT(all, HasSubstr("========= Warning: (Warp Level Programming) Potential WAR hazard detected at __shared__ "
                             "0x7c in block (1,0,0) :\n"
                             "=========     Read Thread (32,0,0) at raw(int *) in mem.cu:13\n"
                             "=========     Write Thread (0,0,0) at raw(int *) in mem.cu:14\n"));
  EXPECT_THAT(all, HasSubstr("Warning: Race reported between Read access at raw(int *) in mem.cu:13\n"));
}

TEST(Sanitizer, BarriersHaveItsClasses) {
  const auto of = [](FindingKind kind) {
    return text(report_of(CheckTool::Synccheck, {finding_at(kind, "k()", 3, "why")}));
  };
  EXPECT_THAT(of(FindingKind::DivergentBarrier), HasSubstr("Barrier error detected. Divergent thread(s) in warp.\n"));
  EXPECT_THAT(of(FindingKind::ExtraLanes), HasSubstr("Barrier error detected. Invalid arguments.\n"));
  EXPECT_THAT(of(FindingKind::BarrierNotInitialized), HasSubstr("Barrier error detected. Missing init.\n"));
  EXPECT_THAT(of(FindingKind::BarrierOverflow), HasSubstr("Barrier error detected. Barrier overflow.\n"));
  EXPECT_THAT(of(FindingKind::BarrierDeadlock), HasSubstr("Barrier error detected. Deadlock.\n"));
  EXPECT_THAT(of(FindingKind::BarrierInitializedAgain), HasSubstr("========= Warning: Barrier error detected. "));
}

TEST(Sanitizer, LimitsReportsAndCountsTheRest) {
  Style style;
  style.limit = 1;
  const std::string limited = text(report_of(CheckTool::Memcheck, {past(), past()}), style);
  EXPECT_THAT(limited, HasSubstr("========= ERROR SUMMARY: 128 errors\n"
                                 "========= ERROR SUMMARY: 64 errors were not printed. Use --print-limit option to "
                                 "adjust the number of printed errors\n"));
  style.limit = 0;
  EXPECT_EQ(text(report_of(CheckTool::Memcheck, {past(), past()}), style).find("not printed"), std::string::npos);
}

Finding failed_copy() {
  Finding f;
  f.kind = FindingKind::InvalidCopy;
  f.where = {"/src/mem.cu", 80, 0, "cudaMemcpy"};
  f.what =
      "300 bytes from a device allocation of 256 bytes; cudaMemcpy returns cudaErrorInvalidValue (invalid argument)";
  return f;
}
Finding freed_twice() {
  Finding f =
      finding_at(FindingKind::BadFree, "twice()", 55,
                 "free() of an address that malloc() did not give or that is free already: 0 bytes into a block "
                 "of the heap of 64 bytes that has been freed");
  f.address = 0x920;
  return f;
}
Finding unwritten() {
  Finding f =
      finding_at(FindingKind::Uninitialized, "reads(int const*, int*)", 4, "uninitialized global read of 4 bytes");
  f.address = 0, f.bytes = 4;
  return f;
}

TEST(Sanitizer, NvtxHasItsWords) {
  const auto access = [](const char* direction) {
    Finding f =
        finding_at(FindingKind::NotPermitted, "k(int*)", 7,
                   fmt::format("invalid global {} of 4 bytes: 8 bytes into region 'weights' of 128 bytes, which "
                               "may only be read",
                               direction));
    f.bytes = 4, f.address = 0x408;
    f.allocation = FoundAllocation{1, 128, "region 'weights'", ""};
    return text(report_of(CheckTool::Memcheck, {f}));
  };
  EXPECT_THAT(access("write"), HasSubstr("========= Invalid __global__ write of size 4 bytes\n"));
  EXPECT_THAT(access("write"), HasSubstr("=========     Access to 0x408 is not writable\n"
                                         "=========     and is inside the nearest allocation at 0x400 of size 128 "
                                         "bytes\n"));
  EXPECT_THAT(access("read"), HasSubstr("Access to 0x408 is not readable\n"));
  EXPECT_THAT(access("atomic"), HasSubstr("Access to 0x408 is not readable/writable with atomic operations\n"));
  Finding call;
  call.kind = FindingKind::ApiError;
  call.where = {"/src/mem.cu", 80, 0, "nvtxMemRegionsRegister"};
  call.what = "a region that is not inside of its heap: of 4 elements 1";
  EXPECT_THAT(text(report_of(CheckTool::Memcheck, {call})),
              HasSubstr("========= Warning: Call to nvtxMemRegionsRegister failed: One or more of the parameters is "
                        "invalid\n=========     at mem.cu:80\n"
                        "=========     a region that is not inside of its heap: of 4 elements 1\n"));
}

TEST(Sanitizer, FailedCallsAndTheHeapHaveItsWords) {
  EXPECT_THAT(text(report_of(CheckTool::Memcheck, {failed_copy()})),
              HasSubstr("========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API "
                        "call to cudaMemcpy.\n"
                        "=========     300 bytes from a device allocation of 256 bytes\n"
                        "=========     Saved host backtrace up to driver entry point at error\n"
                        "=========         Host Frame: mem.cu:80 in mem\n"));
  EXPECT_THAT(text(report_of(CheckTool::Memcheck, {freed_twice()})),
              HasSubstr("========= Malloc/Free Error encountered : Device-side double free\n"
                        "=========     at twice() in mem.cu:55\n"
                        "=========     by thread (0,0,0) in block (1,0,0)\n"
                        "=========     Address 0x920\n"));
}

TEST(Sanitizer, XmlHasARecordForEachReport) {
  Style style;
  style.races = Races::All;
  std::ostringstream out;
  write_xml(out,
            report_of(CheckTool::Memcheck, {past(), freed_twice(), failed_copy(), unwritten(),
                                            finding_at(FindingKind::BarrierNotInitialized, "arrives()", 3, "why"),
                                            race(FindingKind::ReadWrite, 6, 7), leak()}),
            style);
  expect_golden("tests/golden/report/sanitizer.xml", out.str());
  std::ostringstream none;
  write_xml(none, report_of(CheckTool::Memcheck, {}), style);
  EXPECT_EQ(none.str(), "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput/>\n");
}

}  // namespace
}  // namespace drywarp::profilers::sanitizer
