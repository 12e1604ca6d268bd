#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "profile/store/codec.h"
#include "profile/store/profile_reader.h"
#include "profile/store/profile_writer.h"
#include "profile/store/row_log.h"
#include "profile/store/schema.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {
namespace {

using ::testing::HasSubstr;

class Store : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("drywarp_store_" + std::to_string(getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "run.drywarp";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  ProfileWriter writer() {
    auto opened = ProfileWriter::open(path_, {"./app --n 3", "NVIDIA H200", "0.1.0", "moves"});
    EXPECT_TRUE(opened.ok()) << opened.problem().message;
    return std::move(*opened);
  }
  record::Profile read() {
    auto profile = read_profile(path_);
    EXPECT_TRUE(profile.ok()) << profile.problem().message;
    return profile ? std::move(*profile) : record::Profile{};
  }
  std::string failure() {
    auto profile = read_profile(path_);
    EXPECT_FALSE(profile.ok());
    return profile.ok() ? "" : profile.problem().message;
  }
  int64_t query(const std::string& sql) {
    auto db = Database::open(path_, Database::Mode::Existing);
    return db ? *db->number(sql) : -1;
  }

  std::filesystem::path folder_;
  std::string path_;
};

std::shared_ptr<KernelInfo> kernel(const std::string& name) {
  auto k = std::make_shared<KernelInfo>();
  k->name = "_Z" + name, k->display_name = name + "(float*)";
  k->files = {"a.cu", "b.h"};
  k->registers = 32, k->static_shared_bytes = 4096, k->local_bytes = 16;
  InstructionInfo load;
  load.block = 1, load.ptx_line = 7, load.file = 1, load.line = 12, load.predicate = 0, load.access = 0;
  load.generic = true, load.load = true, load.access_bytes = 16, load.klass = InstructionClass::LoadStore;
  load.memory = Memory::Global, load.text = "ld.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];";
  InstructionInfo fma;
  fma.flops = 2, fma.fma = true, fma.klass = InstructionClass::Fp32, fma.text = "fma.rn.f32";
  InstructionInfo branch;
  branch.branch = 0, branch.klass = InstructionClass::Control;
  k->instructions = {load, fma, branch};
  return k;
}

record::LaunchRecord launch(uint32_t kernel, uint64_t scale) {
  record::LaunchRecord l;
  l.kernel = kernel;
  l.grid = {4000000000u, 2, 3}, l.block = {32, 8, 1};
  l.dynamic_shared_bytes = 99, l.carveout = 25, l.stream = 2, l.range = "outer/inner";
  l.start_seconds = 1.5, l.host_seconds = 0.25, l.counted = true;
  l.counts.wavefront_bytes = 256;  // Kepler's
  l.counts.blocks_run = scale, l.counts.warps_run = 2 * scale, l.counts.threads_run = ~0ull;
  l.counts.blocks = {{1, 2}, {3 * scale, 4}};
  l.counts.predicates = {{5, 6}};
  l.counts.branches = {{7, 8}};
  l.counts.accesses.resize(3);
  AccessCounts& a = l.counts.accesses[1];
  a.requests = 1, a.lanes = 2, a.bytes = 3, a.unique_bytes = 4, a.units = 5, a.ideal_units = 6, a.ways = 7;
  a.atomic_addresses = 8, a.atomic_rounds = 9;
  return l;
}

timeline::Numbers numbers() { return {1.5, 2, 3, 4, 5, 6, 7, 0.25}; }

std::vector<timeline::Operation> operations() {
  timeline::Operation kernel;
  kernel.kind = timeline::Kind::Kernel, kernel.stream = 3, kernel.thread = 1, kernel.priority = -2;
  kernel.duration_ns = 1.0 / 3, kernel.host_ns = 3000, kernel.shape = {7, 8, 9.5, 0.1, 1.0 / 7}, kernel.subject = 1;
  timeline::Operation copy;
  copy.kind = timeline::Kind::ToHost, copy.in_graph = true, copy.synchronous = true, copy.after = {0};
  copy.subject = 0;
  timeline::Operation wait;
  wait.kind = timeline::Kind::Wait, wait.after = {0, 1};
  return {kernel, copy, wait};
}

TEST_F(Store, KeepsEverythingOfARun) {
  {
    ProfileWriter w = writer();
    const auto a = kernel("a"), b = kernel("b");
    EXPECT_EQ(w.add_kernel(a), 0u);
    EXPECT_EQ(w.add_kernel(b), 1u);
    EXPECT_EQ(w.add_kernel(a), 0u);
    w.add_launch(launch(1, 10));
    record::LaunchRecord failed = launch(0, 1);
    failed.counted = false, failed.counts = {}, failed.fault = "illegal address";
    w.add_launch(failed);
    w.add_transfer({record::TransferKind::DeviceToHost, 1ull << 40, 3, 0.5, 0.125, true});
    w.add_api({"cudaMalloc", 0.1, 0.2});
    w.add_api({"cudaFree", 0.3, 0.4});
    w.add_api({"cudaMalloc", 0.5, 0.6});
    w.add_operation_numbers(numbers());
    for (const timeline::Operation& o : operations()) w.add_operation(o);
    EXPECT_TRUE(w.finish(3).ok());
  }
  const record::Profile p = read();
  EXPECT_EQ(p.operations, operations());
  EXPECT_EQ(p.operation_numbers, numbers());
  EXPECT_EQ(p.program, "./app --n 3");
  EXPECT_EQ(p.device, "NVIDIA H200");
  EXPECT_EQ(p.moves, "moves");
  EXPECT_EQ(p.drywarp_version, "0.1.0");
  EXPECT_EQ(p.exit_code, 3);
  EXPECT_TRUE(p.complete);

  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[1]->name, "_Zb");
  EXPECT_EQ(p.kernels[1]->display_name, "b(float*)");
  EXPECT_EQ(p.kernels[1]->static_shared_bytes, 4096u);
  EXPECT_EQ(p.kernels[1]->registers, 32u);
  EXPECT_EQ(p.kernels[1]->local_bytes, 16u);
  EXPECT_EQ(encode(*p.kernels[1]), encode(*kernel("b")));
  EXPECT_EQ(p.kernels[1]->instructions[0].text, "ld.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];");
  EXPECT_EQ(p.kernels[1]->instructions[1].branch, InstructionInfo::kNone);
  EXPECT_EQ(p.kernels[1]->instructions[0].klass, InstructionClass::LoadStore);

  ASSERT_EQ(p.launches.size(), 2u);
  EXPECT_EQ(p.launches[0].counts.wavefront_bytes, 256u);
  const record::LaunchRecord& l = p.launches[0];
  EXPECT_EQ(l.kernel, 1u);
  EXPECT_EQ(l.grid, (record::Extent{4000000000u, 2, 3}));
  EXPECT_EQ(l.block, (record::Extent{32, 8, 1}));
  EXPECT_EQ(l.dynamic_shared_bytes, 99u);
  EXPECT_EQ(l.carveout, 25);
  EXPECT_EQ(l.stream, 2u);
  EXPECT_EQ(l.range, "outer/inner");
  EXPECT_EQ(l.start_seconds, 1.5);
  EXPECT_EQ(l.host_seconds, 0.25);
  EXPECT_TRUE(l.counted);
  EXPECT_EQ(l.counts.threads_run, ~0ull);
  EXPECT_EQ(encode(l.counts), encode(launch(1, 10).counts));
  EXPECT_EQ(l.counts.accesses[1].atomic_rounds, 9u);
  EXPECT_FALSE(p.launches[1].counted);
  EXPECT_EQ(p.launches[1].fault, "illegal address");

  ASSERT_EQ(p.transfers.size(), 1u);
  EXPECT_EQ(p.transfers[0].bytes, 1ull << 40);
  EXPECT_EQ(p.transfers[0].kind, record::TransferKind::DeviceToHost);
  EXPECT_TRUE(p.transfers[0].pinned);
  ASSERT_EQ(p.api_calls.size(), 3u);
  EXPECT_EQ(p.api_calls[1].name, "cudaFree");
  EXPECT_EQ(p.api_calls[2].name, "cudaMalloc");
  EXPECT_EQ(p.api_calls[2].host_seconds, 0.6);
}

std::shared_ptr<const sm::LaunchTime> time_of(double ns) {
  sm::LaunchTime time;
  time.summary.duration_ns = ns, time.summary.dram_pct = 12.5;
  time.summary.stalls_per_issue[unsigned(sm::Stall::Membar)] = 0.75;
  time.instructions.resize(3);
  time.instructions[0].issued = 5, time.instructions[0].stalls[unsigned(sm::Stall::Wait)] = 1e6 + 0.4;
  time.instructions[2].stalls[unsigned(sm::Stall::Misc)] = 7;
  time.stand_ins = {{"latency.convert", "latency.transcendental"}, {"launch.overhead_ns", "nothing: it is not in"}};
  return std::make_shared<const sm::LaunchTime>(std::move(time));
}

TEST_F(Store, IdenticalLaunchesShareOneTime) {
  {
    ProfileWriter w = writer();
    const uint32_t k = w.add_kernel(kernel("a"));
    record::LaunchRecord timed = launch(k, 1), untimed = launch(k, 2);
    timed.time = time_of(1234.5);
    for (int i = 0; i < 3; ++i) w.add_launch(timed);
    timed.time = time_of(2);
    w.add_launch(timed);
    untimed.untimed = "too long";
    w.add_launch(untimed);
  }
  EXPECT_EQ(query("SELECT count(*) FROM time"), 2);
  const record::Profile p = read();
  ASSERT_EQ(p.launches.size(), 5u);
  ASSERT_NE(p.launches[0].time, nullptr);
  EXPECT_EQ(p.launches[0].time, p.launches[2].time);
  EXPECT_EQ(p.launches[3].time->summary.duration_ns, 2);
  EXPECT_EQ(p.launches[4].time, nullptr);
  EXPECT_EQ(p.launches[4].untimed, "too long");
  const sm::LaunchTime& time = *p.launches[0].time;
  EXPECT_EQ(time.summary.duration_ns, 1234.5);
  EXPECT_EQ(time.summary.dram_pct, 12.5);
  EXPECT_EQ(time.summary.stalls_per_issue[unsigned(sm::Stall::Membar)], 0.75);
  ASSERT_EQ(time.instructions.size(), 3u);
  EXPECT_EQ(time.instructions[0].issued, 5u);
  EXPECT_EQ(time.instructions[0].stalls[unsigned(sm::Stall::Wait)], 1e6);
  EXPECT_EQ(time.instructions[1].issued, 0u);
  EXPECT_EQ(time.stand_ins, time_of(0)->stand_ins);
  EXPECT_EQ(time.instructions[2].stalls[unsigned(sm::Stall::Misc)], 7);
}

// Counts as formats before 8 have them: without their names and, at the end, the number of notes of barriers.
std::string without_names(std::string counts) {
  counts.pop_back();
  std::string names(1, static_cast<char>(std::size(kAccessCounts)));
  for (const AccessCount& count : kAccessCounts) {
    names += static_cast<char>(std::strlen(count.name));
    names += count.name;
  }
  counts.erase(counts.find(names), names.size());
  // The memory instructions come last; their counts take a byte each. Formats without names lack later counts.
  const auto is_later = [](const AccessCount& count) {
    const std::string_view name = count.name;
    return name == "bulk_sectors" || name == "group_units";
  };
  constexpr size_t kInstructions = 3, kCounts = std::size(kAccessCounts);
  const size_t first = counts.size() - kInstructions * kCounts;
  for (size_t i = kInstructions * kCounts; i-- > 0;)
    if (is_later(kAccessCounts[i % kCounts])) counts.erase(first + i, 1);
  return counts;
}

// Replaces the counts of the file's only launch.
std::string older_counts(const LaunchCounts& counts) {
  std::string sql = "UPDATE counts SET sums = x'";
  for (const char c : without_names(encode(counts))) sql += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return sql + "'; ";
}

TEST(Codec, CountsHaveNotesOfBarriers) {
  LaunchCounts written = launch(0, 1).counts;
  written.barrier_notes = {{BarrierNote::Kind::DivergentWarp, 1, 300, {4, 2, 70000}, 3, 8, 24},
                           {BarrierNote::Kind::ThreadsEnded, 0, 1, {0, 0, 0}, 0, 40, 88}};
  const std::string bytes = encode(written);
  const auto read = decode_counts(bytes, kFormat);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->barrier_notes, written.barrier_notes);
  EXPECT_FALSE(decode_counts(bytes, 8).ok());  // format 8 ends before them
  written.barrier_notes = {{static_cast<BarrierNote::Kind>(kBarrierNoteKinds), 0, 1, {}, 0, 0, 0}};
  EXPECT_FALSE(decode_counts(encode(written), kFormat).ok());
}

TEST(Codec, CountsHaveNames) {
  const LaunchCounts written = launch(0, 300).counts;
  std::string bytes = encode(written);
  bytes.replace(bytes.find("units"), 5, "lunar");  // a count that a later version has in its place
  const auto read = decode_counts(bytes, kFormat);
  ASSERT_TRUE(read.ok());
  const AccessCounts &w = written.accesses.at(1), &r = read->accesses.at(1);
  EXPECT_NE(w.units, 0u);
  EXPECT_EQ(r.units, 0u);
  EXPECT_EQ(r.requests, w.requests);
  EXPECT_EQ(r.ideal_units, w.ideal_units);
  EXPECT_EQ(r.atomic_rounds, w.atomic_rounds);
}

// Profiles of format 2 have times without names, which are skipped; counts are still read.
TEST_F(Store, ReadsAnOlderFormat) {
  {
    ProfileWriter w = writer();
    w.add_launch(launch(w.add_kernel(kernel("a")), 3));
  }
  {
    auto db = Database::open(path_, Database::Mode::Existing);
    ASSERT_TRUE(db->execute(older_counts(launch(0, 3).counts).c_str()).ok());
    ASSERT_TRUE(db->execute("ALTER TABLE launch DROP COLUMN untimed; ALTER TABLE launch DROP COLUMN carveout;"
                            "ALTER TABLE launch DROP COLUMN wavefront_bytes;"
                            "ALTER TABLE run DROP COLUMN moves; DROP TABLE time; PRAGMA user_version = 2;"
                            "UPDATE launch SET time = x'0102'")
                    .ok());
  }
  const record::Profile p = read();
  ASSERT_EQ(p.launches.size(), 1u);
  EXPECT_EQ(p.launches[0].counts.blocks_run, 3u);
  EXPECT_EQ(p.launches[0].time, nullptr);
  EXPECT_EQ(p.launches[0].carveout, -1);
}

// Format 3 has no stand-ins.
TEST_F(Store, ReadsTimesWithoutStandIns) {
  {
    ProfileWriter w = writer();
    record::LaunchRecord timed = launch(w.add_kernel(kernel("a")), 3);
    timed.time = time_of(5);
    w.add_launch(timed);
  }
  {
    auto db = Database::open(path_, Database::Mode::Existing);
    ASSERT_TRUE(db->execute(older_counts(launch(0, 3).counts).c_str()).ok());
    ASSERT_TRUE(db->execute("ALTER TABLE launch DROP COLUMN wavefront_bytes;"
                            "ALTER TABLE launch DROP COLUMN carveout; ALTER TABLE time DROP COLUMN stand_ins;"
                            "ALTER TABLE run DROP COLUMN moves; PRAGMA user_version = 3")
                    .ok());
  }
  const record::Profile p = read();
  ASSERT_EQ(p.launches.size(), 1u);
  ASSERT_NE(p.launches[0].time, nullptr);
  EXPECT_EQ(p.launches[0].time->summary.duration_ns, 5);
  EXPECT_TRUE(p.launches[0].time->stand_ins.empty());
}

TEST_F(Store, OlderFormatsHaveNoOperations) {
  {
    ProfileWriter w = writer();
    for (const timeline::Operation& o : operations()) w.add_operation(o);
  }
  auto db = Database::open(path_, Database::Mode::Existing);
  ASSERT_TRUE(db->execute("DROP TABLE operation; PRAGMA user_version = 10").ok());
  EXPECT_TRUE(read().operations.empty());
}

TEST_F(Store, OperationsNameOnlyWhatIsThere) {
  {
    ProfileWriter w = writer();
    for (const timeline::Operation& o : operations()) w.add_operation(o);
  }
  EXPECT_EQ(read().operations[0].subject, timeline::kNone);  // there is no launch
  auto db = Database::open(path_, Database::Mode::Existing);
  for (const char* damaged :
       {"0 0 0 0 0 0 1 0 1 1 0 0 0 0 0", "9 0 0 0 0 0 1 0 1 1 0 0 0 0", "0 0 0 0 2 0 1 0 1 1 0 0 0 0",
        "0 0 0 0 0 0 -1 0 1 1 0 0 0 0", "0 0 0 0 0 0 nan 0 1 1 0 0 0 0", "0 0 0 x", ""}) {
    ASSERT_TRUE(db->execute(fmt::format("UPDATE operation SET operation = '{}' WHERE id = 1", damaged).c_str()).ok());
    EXPECT_THAT(failure(), HasSubstr("an operation is damaged")) << damaged;
  }
}

TEST_F(Store, LeavesOneFile) {
  {
    ProfileWriter w = writer();
    w.add_api({"cudaMalloc", 0, 0});
    ASSERT_TRUE(w.finish(0).ok());
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Store, EqualCountsAreKeptOnce) {
  {
    ProfileWriter w = writer();
    const uint32_t k = w.add_kernel(kernel("a"));
    for (int i = 0; i < 1000; ++i) w.add_launch(launch(k, i % 3));
  }
  EXPECT_EQ(query("SELECT count(*) FROM counts"), 3);
  const record::Profile p = read();
  ASSERT_EQ(p.launches.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(p.launches[i].counts.blocks_run, uint64_t(i % 3));
}

// Everything added before SIGKILL is there afterwards, in the database or the log, and marked as incomplete.
TEST_F(Store, SurvivesBeingKilled) {
  for (const int launches : {3, 20000}) {
    const pid_t child = fork();
    if (child == 0) {
      ProfileWriter w = writer();
      const uint32_t k = w.add_kernel(kernel("a"));
      for (int i = 0; i < launches; ++i) {
        w.begin_launch(*kernel("a"), launch(k, i));
        w.add_launch(launch(k, i % 100));
        w.add_api({"cudaLaunchKernel", 1, 2});
      }
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string log = read_row_log(RowLog::path_beside(path_));
    EXPECT_FALSE(log.empty());
    EXPECT_LT(log.size(), kLogBytes);
    for (int times = 0; times < 2; ++times) {  // reading changes nothing
      const record::Profile p = read();
      EXPECT_FALSE(p.complete);
      ASSERT_EQ(p.launches.size(), size_t(launches));
      for (int i = 0; i < launches; ++i) ASSERT_EQ(p.launches[i].counts.blocks_run, uint64_t(i % 100));
      EXPECT_EQ(p.kernels.size(), 1u);
      EXPECT_EQ(p.api_calls.size(), size_t(launches));
    }
    EXPECT_EQ(read_row_log(RowLog::path_beside(path_)), log);
    writer();  // the dead process does not lock the file
    std::filesystem::remove(path_);
  }
}

TEST_F(Store, NamesALaunchThatDidNotEnd) {
  ProfileWriter w = writer();
  const auto a = kernel("a");
  w.begin_launch(*a, launch(0, 1));
  {
    const record::Profile p = read();
    ASSERT_EQ(p.launches.size(), 1u);
    ASSERT_EQ(p.kernels.size(), 1u);
    EXPECT_EQ(p.kernels[0]->display_name, "a(float*)");
    EXPECT_EQ(p.launches[0].grid, launch(0, 1).grid);
    EXPECT_EQ(p.launches[0].block, launch(0, 1).block);
    EXPECT_EQ(p.launches[0].range, "outer/inner");
    EXPECT_FALSE(p.launches[0].counted);
    EXPECT_THAT(p.launches[0].fault, HasSubstr("ended while it ran"));
  }
  w.add_launch(launch(w.add_kernel(a), 1));
  EXPECT_EQ(read().launches.size(), 1u);
  w.begin_launch(*a, launch(0, 1));
  const record::Profile p = read();
  ASSERT_EQ(p.launches.size(), 2u);
  EXPECT_EQ(p.launches[0].fault, "");
  EXPECT_EQ(p.launches[1].kernel, 0u);
  EXPECT_NE(p.launches[1].fault, "");
}

// A process killed while it wrote leaves part of a row; one killed while it cleared the log leaves rows that the
// database already has.
TEST_F(Store, ATruncatedOrStaleLogDoesNoHarm) {
  std::string log;
  {
    ProfileWriter w = writer();
    const uint32_t k = w.add_kernel(kernel("a"));
    for (int i = 0; i < 5; ++i) w.add_launch(launch(k, i));
    log = read_row_log(RowLog::path_beside(path_));
    ASSERT_TRUE(w.finish(0).ok());
    EXPECT_EQ(read_row_log(RowLog::path_beside(path_)), "");
  }
  const auto leave = [&](std::string_view bytes) {
    std::ofstream(RowLog::path_beside(path_), std::ios::binary | std::ios::trunc) << bytes;
  };
  leave(log);
  EXPECT_EQ(read().launches.size(), 5u);
  for (size_t n = 0; n <= log.size(); n += 7) {
    leave(std::string_view(log).substr(0, n));
    EXPECT_EQ(read().launches.size(), 5u) << n;
  }
  log[4] = 99;  // no kind of row
  leave(log);
  EXPECT_THAT(failure(), HasSubstr("damaged"));
}

TEST_F(Store, CanBeReadWhileItIsWritten) {
  ProfileWriter w = writer();
  const uint32_t k = w.add_kernel(kernel("a"));
  for (int i = 1; i <= 3; ++i) {
    w.add_launch(launch(k, 1));
    EXPECT_EQ(read().launches.size(), size_t(i));
  }
  ASSERT_TRUE(w.finish(0).ok());
  EXPECT_TRUE(read().complete);
}

TEST_F(Store, AForkedChildWritesNothing) {
  {
    ProfileWriter w = writer();
    w.add_api({"cudaMalloc", 0, 0});
    const pid_t child = fork();
    if (child == 0) {
      w.add_api({"inChild", 0, 0});
      (void)w.finish(1);
      {
        ProfileWriter dies = std::move(w);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    w.add_api({"cudaFree", 0, 0});
    ASSERT_TRUE(w.finish(0).ok());
  }
  const record::Profile p = read();
  ASSERT_EQ(p.api_calls.size(), 2u);
  EXPECT_EQ(p.api_calls[1].name, "cudaFree");
  EXPECT_EQ(p.exit_code, 0);
}

TEST_F(Store, TwoProcessesDoNotShareAFile) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    ProfileWriter w = writer();
    (void)!write(ready[1], "x", 1);
    char c;
    (void)!::read(done[0], &c, 1);
    _exit(0);
  }
  char c;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  const auto second = ProfileWriter::open(path_, {});
  EXPECT_FALSE(second.ok());
  if (!second.ok())
    EXPECT_THAT(second.problem().message, HasSubstr("being written by process " + std::to_string(child)));
  (void)!write(done[1], "x", 1);
  waitpid(child, nullptr, 0);
}

TEST_F(Store, ManyThreadsMayAdd) {
  {
    ProfileWriter w = writer();
    const auto k = kernel("a");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          w.add_launch(launch(w.add_kernel(k), i % 2));
          w.add_api({"cudaLaunchKernel", 0, 0});
        }
      });
    for (auto& t : threads) t.join();
    EXPECT_TRUE(w.status().ok());
  }
  const record::Profile p = read();
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.launches.size(), 2000u);
  EXPECT_EQ(p.api_calls.size(), 2000u);
}

TEST_F(Store, ReplacesAnOlderProfile) {
  for (int i = 0; i < 2; ++i) {
    ProfileWriter w = writer();
    w.add_api({"cudaMalloc", 0, 0});
  }
  EXPECT_EQ(read().api_calls.size(), 1u);
}

TEST_F(Store, NeverReplacesAForeignFile) {
  std::ofstream(path_) << "my thesis";
  const auto w = ProfileWriter::open(path_, {});
  ASSERT_FALSE(w.ok());
  EXPECT_THAT(w.problem().message, HasSubstr("is not a drywarp profile"));
  std::string text;
  std::ifstream in(path_);
  std::getline(in, text);
  EXPECT_EQ(text, "my thesis");
}

TEST_F(Store, AFolderThatDoesNotExistIsAnError) {
  const auto w = ProfileWriter::open(folder_ / "missing" / "x", {});
  ASSERT_FALSE(w.ok());
  EXPECT_THAT(w.problem().message, HasSubstr("missing/x"));
}

TEST_F(Store, NamesWhatIsNotAProfile) {
  EXPECT_THAT(failure(), HasSubstr("there is no profile"));
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(failure(), HasSubstr("is not a drywarp profile"));
  std::filesystem::remove(path_);
  {
    ASSERT_TRUE(Database::open(path_, Database::Mode::Create)->execute("CREATE TABLE t(x)").ok());
  }
  EXPECT_THAT(failure(), HasSubstr("is not a drywarp profile"));
}

TEST_F(Store, RefusesANewerFormat) {
  {
    writer();
  }
  {
    ASSERT_TRUE(Database::open(path_, Database::Mode::Existing)->execute("PRAGMA user_version = 99").ok());
  }
  EXPECT_THAT(failure(), HasSubstr("newer drywarp (format 99"));
}

TEST_F(Store, NamesDamage) {
  const auto with = [&](const char* sql) {
    {
      ProfileWriter w = writer();
      w.add_launch(launch(w.add_kernel(kernel("a")), 1));
      w.add_transfer({});
    }
    {
      EXPECT_TRUE(Database::open(path_, Database::Mode::Existing)->execute(sql).ok());
    }
    return failure();
  };
  EXPECT_THAT(with("DELETE FROM run"), HasSubstr("is damaged: the record of the run is missing"));
  EXPECT_THAT(with("DELETE FROM kernel"), HasSubstr("is damaged: a launch of an unknown kernel"));
  EXPECT_THAT(with("DELETE FROM counts"), HasSubstr("is damaged: the counts of a launch"));
  EXPECT_THAT(with("UPDATE counts SET sums = substr(sums, 1, 10)"), HasSubstr("is damaged: a record"));
  EXPECT_THAT(with("UPDATE kernel SET instructions = instructions || x'00'"), HasSubstr("is damaged: a record"));
  EXPECT_THAT(with("UPDATE transfer SET kind = 17"), HasSubstr("is damaged: a transfer"));
}

// Any prefix and any flipped byte of a record is an error or decodes to something, without a crash.
TEST(Codec, DamagedRecordsAreErrors) {
  const std::string good = encode(launch(0, 300).counts);
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(decode_counts(std::string_view(good).substr(0, n), kFormat).ok()) << n;
  for (size_t n = 0; n < good.size(); ++n) {
    std::string bad = good;
    bad[n] = static_cast<char>(~bad[n]);
    (void)decode_counts(bad, kFormat);
  }
  const std::string times = encode(time_of(1)->instructions), summary = encode(time_of(1)->summary);
  for (size_t n = 0; n < summary.size(); ++n) EXPECT_FALSE(decode_time(std::string_view(summary).substr(0, n)).ok());
  for (const std::string& bytes : {times, summary}) {
    for (size_t n = 0; n < bytes.size(); ++n) {
      std::string bad = bytes;
      bad[n] = static_cast<char>(~bad[n]);
      (void)decode_time(bad);
      (void)decode_instruction_times(bad);
    }
  }
  EXPECT_FALSE(decode_counts("\x01\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", kFormat).ok());  // 2^63 blocks
}

}  // namespace
}  // namespace drywarp::store
