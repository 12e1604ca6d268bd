// A profile file from the program's writer to SQL: completing, querying, and files that are damaged or not ours.
#include "profile/tables/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "profile/report/golden.h"
#include "profile/store/profile_reader.h"
#include "profile/store/profile_writer.h"
#include "profile/store/row_log.h"
#include "profile/tables/query.h"

namespace drywarp::tables {
namespace {

using store::Database;
using ::testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Tables : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("drywarp_tables_" + std::to_string(getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "run.dwprof";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What a program leaves: a kernel that stores every other word, launched twice alike and once with more blocks.
  void write(bool killed = false) {
    auto opened = store::ProfileWriter::open(path_, {"./app 3", "NVIDIA H200", "0.1.0", ""});
    ASSERT_TRUE(opened.ok()) << opened.problem().message;
    auto kernel = std::make_shared<KernelInfo>();
    kernel->name = "_Z5everyPf", kernel->display_name = "every(float*)", kernel->files = {"app.cu"};
    kernel->registers = 8;
    InstructionInfo store;
    store.store = true, store.access = 0, store.access_bytes = 4, store.file = 0, store.line = 2, store.ptx_line = 9;
    store.klass = InstructionClass::LoadStore, store.text = "st.global.f32 [%rd1], %f1;";
    InstructionInfo barrier;
    barrier.barrier = true, barrier.file = 0, barrier.line = 2, barrier.ptx_line = 11;
    barrier.klass = InstructionClass::Barrier, barrier.text = "bar.sync 0;";
    kernel->instructions = {store, barrier};
    record::LaunchRecord launch;
    launch.kernel = opened->add_kernel(kernel);
    for (const uint64_t blocks : {1, 1, 2}) {
      launch.grid.x = static_cast<uint32_t>(blocks), launch.block.x = 32, launch.counted = true;
      launch.counts.blocks_run = launch.counts.warps_run = blocks, launch.counts.threads_run = 32 * blocks;
      launch.counts.blocks = {{blocks, 32 * blocks}};
      launch.counts.accesses = {{blocks, 32 * blocks, 128 * blocks, 128 * blocks, 8 * blocks, 4 * blocks, 0, 0, 0}};
      launch.counts.barrier_notes = {{BarrierNote::Kind::DivergentWarp, 0, blocks, {1, 0, 0}, 3, 8, 24}};
      if (blocks == 2) {
        sm::LaunchTime time;
        time.summary.duration_ns = 1000;
        time.instructions.resize(1);
        time.instructions[0].issued = 2, time.instructions[0].stalls[unsigned(sm::Stall::LgThrottle)] = 50;
        launch.time = std::make_shared<const sm::LaunchTime>(time);
      }
      opened->add_launch(launch);
    }
    AccessSample sample;
    sample.size = 4, sample.lanes = 0xffff'fffd, sample.units = 8;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) sample.addresses[lane] = 8 * lane;
    opened->add_sample(0, sample);
    opened->add_transfer({record::TransferKind::DeviceToHost, 4096, 0, 0.5, 0.125});
    opened->add_api({"cudaMalloc", 0.25, 0.5});
    if (killed) kill(getpid(), SIGKILL);
    ASSERT_TRUE(opened->finish(0).ok());
  }
  void complete() {
    auto profile = store::read_profile(path_);
    ASSERT_TRUE(profile.ok()) << profile.problem().message;
    profile->exit_code = 3;
    record::KeptFacts& kept = profile->kept;
    kept.command = "drywarp profile -o run.dwprof app.cu", kept.folder = "/work", kept.created = "2026-01-31T12:00:00Z";
    kept.output = "one\ntwo\n", kept.output_cut = true;
    kept.device_id = "h200", kept.architecture = "Hopper", kept.compute_capability = "9.0";
    kept.device_numbers = {{"multiprocessors", "132", "specification", "a data sheet"}};
    kept.sources["app.cu"] = {"__global__ void every(float* a) {", "  a[2 * threadIdx.x] = 1;", "}"};
    const Status s = keep_profile(path_, *profile);
    ASSERT_TRUE(s.ok()) << s.problem().message;
  }
  std::string query(const std::string& sql, std::string_view format = "csv") {
    auto db = open_tables(path_);
    if (!db) return "not open: " + db.problem().message;
    std::ostringstream out;
    const Status s = write_query(out, *db, sql, {.format = format});
    return s ? out.str() : s.problem().message + " | " + s.problem().hint;
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(Tables, HaveWhatTheRunDid) {
  write();
  complete();
  EXPECT_EQ(query("SELECT * FROM command"),
            "command,folder,created,program,drywarp_version,exit_code,signal,complete\n"
            "drywarp profile -o run.dwprof app.cu,/work,2026-01-31T12:00:00Z,./app 3,0.1.0,3,0,1\n");
  EXPECT_EQ(query("SELECT * FROM output"), "text,cut\n\"one\ntwo\n\",1\n");
  EXPECT_EQ(query("SELECT * FROM device"), "name,id,architecture,compute_capability\nNVIDIA H200,h200,Hopper,9.0\n");
  EXPECT_EQ(query("SELECT * FROM device_numbers"),
            "number,value,kind,source\nmultiprocessors,132,specification,a data sheet\n");
  EXPECT_THAT(query("SELECT text FROM conventions WHERE name = 'sectors'"), HasSubstr("of 32 bytes"));
  EXPECT_EQ(query("SELECT kernel, name, calls, counted, registers, round(seconds * 1e9) AS ns, timed FROM kernels"),
            "kernel,name,calls,counted,registers,ns,timed\n0,every(float*),3,3,8,1000,1\n");
  EXPECT_EQ(query("SELECT launch, grid_x, block_x, round(seconds * 1e9) AS ns, simulated, result FROM launches"),
            "launch,grid_x,block_x,ns,simulated,result\n0,1,32,,0,0\n1,1,32,,0,0\n2,2,32,1000,1,1\n");
  EXPECT_EQ(query("SELECT launch, kernel, value, unit, class FROM metrics WHERE name = 'gst_transactions'"),
            "launch,kernel,value,unit,class\n0,every(float*),8,sector,exact\n1,every(float*),8,sector,exact\n"
            "2,every(float*),16,sector,exact\n");
  EXPECT_EQ(query("SELECT value FROM metrics WHERE ncu_name = 'memory_l2_theoretical_sectors_global' AND launch = 2"),
            "value\n16\n");
  EXPECT_EQ(query("SELECT total, min, max, launches FROM kernel_metrics WHERE name = 'gst_transactions'"),
            "total,min,max,launches\n32,8,16,3\n");
  EXPECT_EQ(query("SELECT file, line, text, sector_share, time_share, issued, warp_cycles FROM lines"),
            "file,line,text,sector_share,time_share,issued,warp_cycles\n"
            "app.cu,2,a[2 * threadIdx.x] = 1;,1,1,2,50\n");
  EXPECT_EQ(query("SELECT value FROM line_metrics WHERE line = 2 AND name = 'gst_transactions'"), "value\n32\n");
  EXPECT_EQ(query("SELECT line, reason, warp_cycles FROM stalls"), "line,reason,warp_cycles\n2,lg_throttle,50\n");
  EXPECT_EQ(query("SELECT * FROM barriers"),
            "kernel,file,line,ptx_line,kind,times,block_x,block_y,block_z,warp,waited,absent\n"
            "0,app.cu,2,11,divergent_warp,4,1,0,0,3,8,24\n");
  EXPECT_EQ(query("SELECT line, text FROM source WHERE line = 3"), "line,text\n3,}\n");
  EXPECT_EQ(query("SELECT launch, file, line, memory, units FROM accesses"),
            "launch,file,line,memory,units\n0,app.cu,2,global,8\n");
  EXPECT_EQ(query("SELECT count(*) AS lanes, max(a.value) AS last FROM accesses, json_each(addresses) AS a"
                  " WHERE a.value IS NOT NULL"),
            "lanes,last\n31,248\n");
  EXPECT_EQ(query("SELECT * FROM transfers"),
            "kind,bytes,stream,start_seconds,host_seconds,pinned,gpu_seconds\nDtoH,4096,0,0.5,0.125,0,\n");
  EXPECT_EQ(query("SELECT * FROM api_calls"), "name,start_seconds,host_seconds\ncudaMalloc,0.25,0.5\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "one file";
}

TEST_F(Tables, AreReadBackAsAProfile) {
  write();
  complete();
  const auto p = store::read_profile(path_);
  ASSERT_TRUE(p.ok()) << p.problem().message;
  EXPECT_EQ(p->exit_code, 3);
  EXPECT_EQ(p->kept.command, "drywarp profile -o run.dwprof app.cu");
  EXPECT_EQ(p->kept.output, "one\ntwo\n");
  EXPECT_TRUE(p->kept.output_cut);
  EXPECT_EQ(p->kept.device_numbers.at(0).source, "a data sheet");
  ASSERT_EQ(p->kept.sources.count("app.cu"), 1u);
  EXPECT_EQ(p->kept.sources.at("app.cu").size(), 3u);
  ASSERT_EQ(p->samples.size(), 1u);
  EXPECT_EQ(p->samples[0].sample.addresses[31], 248u);
}

// Every column of the documentation is there, in that order.
TEST_F(Tables, AreAsDocumented) {
  write();
  complete();
  for (const Table& table : all_tables()) {
    std::string wanted;
    for (const Column& c : table.columns) wanted += std::string(wanted.empty() ? "" : ",") + c.name;
    const std::string found = query("SELECT * FROM " + std::string(table.name) + " LIMIT 0");
    EXPECT_EQ(found, wanted + "\n") << table.name;
  }
  std::ostringstream page;
  write_schema_page(page);
  expect_golden("docs/profile-file.md", page.str());
}

// A run that was killed has no tables: they are made in memory, and the file stays as it is.
TEST_F(Tables, AreThereForARunThatWasKilled) {
  const pid_t child = fork();
  if (child == 0) write(true);
  waitpid(child, nullptr, 0);
  const std::string log = store::RowLog::path_beside(path_);
  ASSERT_FALSE(store::read_row_log(log).empty());
  const std::string before = bytes_of(path_) + bytes_of(log);
  EXPECT_EQ(query("SELECT launch, grid_x FROM launches"), "launch,grid_x\n0,1\n1,1\n2,2\n");
  EXPECT_EQ(query("SELECT complete FROM command"), "complete\n0\n");
  EXPECT_EQ(query("SELECT count(*) AS n FROM accesses"), "n\n1\n");
  EXPECT_EQ(bytes_of(path_) + bytes_of(log), before);
}

TEST_F(Tables, AnswerInEveryFormat) {
  write();
  complete();
  const std::string sql =
      "SELECT launch, name, untimed, 0.5 AS half, x'0aff' AS raw FROM launches WHERE launch = 1;  -- one";
  EXPECT_EQ(query(sql, "text"),
            "launch  name           untimed  half  raw\n     1  every(float*)  -         0.5  0aff\n");
  EXPECT_EQ(nlohmann::json::parse(query(sql, "json")),
            nlohmann::json::parse(
                R"json([{"launch": 1, "name": "every(float*)", "untimed": null, "half": 0.5, "raw": "0aff"}])json"));
  EXPECT_EQ(query("SELECT 1 WHERE 0", "json"), "[]\n");
  EXPECT_EQ(query("SELECT text FROM output", "text"), "text\none\ntwo\n\n");
  EXPECT_EQ(query("SELECT text, 1 AS n FROM output", "text"), "text        n\none\\ntwo\\n  1\n");
}

TEST_F(Tables, SayWhatIsWrongWithAQuery) {
  write();
  complete();
  EXPECT_THAT(query("SELECT * FROM launch_s"), HasSubstr("no such table: launch_s | the tables are launches, "));
  EXPECT_THAT(query("SELECT speed FROM kernels"),
              HasSubstr("the query is wrong: no such column: speed, at character 8"));
  EXPECT_THAT(query("SELEKT 1"), HasSubstr("near \"SELEKT\": syntax error, at character 1"));
  EXPECT_THAT(query("SELECT 1; SELECT 2"), HasSubstr("more than one SQL statement"));
  EXPECT_THAT(query("  -- nothing"), HasSubstr("there is no SQL statement"));
  EXPECT_THAT(query("SELECT json_extract('{', '$')"), HasSubstr("malformed JSON"));
  EXPECT_THAT(query("BEGIN"), HasSubstr("asks for nothing"));
  for (const char* change :
       {"DELETE FROM run", "DROP TABLE launches", "PRAGMA user_version = 99", "VACUUM INTO 'x.db'"})
    EXPECT_THAT(query(change), HasSubstr("cannot change the profile")) << change;
  EXPECT_EQ(query("SELECT count(*) AS n FROM run"), "n\n1\n");
}

TEST_F(Tables, RefuseWhatIsNoProfile) {
  EXPECT_THAT(query("SELECT 1"), HasSubstr("there is no profile"));
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(query("SELECT 1"), HasSubstr("it is no SQLite file"));
  std::filesystem::remove(path_);
  ASSERT_TRUE(Database::open(path_, Database::Mode::Create)->execute("CREATE TABLE launches(x)").ok());
  EXPECT_THAT(query("SELECT 1"), HasSubstr("it is an SQLite file of another program"));
  std::filesystem::remove(path_);
  write();
  complete();
  ASSERT_TRUE(Database::open(path_, Database::Mode::Existing)->execute("PRAGMA user_version = 99").ok());
  EXPECT_THAT(query("SELECT 1"), HasSubstr("written by a newer drywarp (format 99"));
}

// Damage anywhere in the file gives an answer or an error with a message.
TEST_F(Tables, SurviveDamage) {
  write();
  complete();
  const std::string good = bytes_of(path_);
  std::mt19937 random(1);
  unsigned errors = 0;
  const auto use = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    const auto profile = store::read_profile(path_);
    if (!profile) EXPECT_FALSE(profile.problem().message.empty());
    errors += !profile.ok();
    if (auto db = open_tables(path_); db)
      for (const char* table : {"launches", "lines", "metrics", "accesses"}) {
        std::ostringstream out;
        (void)write_query(out, *db, std::string("SELECT * FROM ") + table, {});
      }
  };
  for (size_t n = 0; n < good.size(); n += 4096) use(good.substr(0, n + 100));
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    for (int k = 0; k < 8; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    use(bad);
  }
  EXPECT_GT(errors, 10u);
}

}  // namespace
}  // namespace drywarp::tables
