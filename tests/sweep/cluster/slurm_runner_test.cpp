// Rows as elements of jobs, with a stand-in for Slurm's commands: shell scripts that keep a job as a file.
#include "sweep/cluster/slurm_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/support/whole_file.h"
#include "sweep/cluster/element.h"

namespace drywarp::sweep {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A cluster in a folder: sbatch numbers jobs and copies scripts, squeue lists those with a file "N.runs".
class Cluster : public testing::Test {
 protected:
  Cluster() {
    char name[] = "/tmp/slurm_test_XXXXXX";
    path = mkdtemp(name);
    for (const char* folder : {"bin", "here", "scratch", "nodes"}) fs::create_directory(path + "/" + folder);
    write("bin/sbatch",
          "n=$(($(cat $C/count 2>/dev/null || echo 0) + 1)); echo $n > $C/count; cp $2 $C/$n.job\n"
          "[ -e $C/full ] && { echo 'sbatch: error: MaxJobCount' >&2; exit 1; }\n"
          ": > $C/$n.runs; echo 'a warning' >&2; echo $n\n");
    write("bin/squeue",
          "for w; do case $w in --jobs=*) jobs=${w#--jobs=};; --states=all) all=1;; esac; done\n"
          "[ -n \"$all\" ] && { echo node1; echo node2; exit; }\n"
          "echo $jobs >> $C/questions\n"
          "[ -e $C/$jobs.job ] || case $jobs in *,*) ;; *) echo 'error: Invalid job id specified' >&2; exit 1;; esac\n"
          "for n in $(echo $jobs | tr , ' '); do [ -e $C/$n.runs ] || continue\n"
          "[ -e $C/held ] && sed \"s/^/$n /\" $C/held || echo $n None; done; exit 0\n");
    write("bin/scancel", "rm -f $C/$1.runs; echo $1 >> $C/cancelled\n");
    write("bin/scontrol", "echo 'MaxArraySize            = 4'\n");
    setenv("C", path.c_str(), 1);
    before_ = getenv("PATH");
    setenv("PATH", (path + "/bin:" + before_).c_str(), 1);
  }
  ~Cluster() override {
    setenv("PATH", before_.c_str(), 1);
    fs::remove_all(path);
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(path + "/" + file) << "#!/bin/sh\n" << text;
    fs::permissions(path + "/" + file, fs::perms::owner_all);
  }
  [[nodiscard]] bool is_there(const std::string& file) const { return fs::exists(path + "/" + file); }
  [[nodiscard]] std::string text_of(const std::string& file) const {
    return read_whole(path + "/" + file).value_or("");
  }

  [[nodiscard]] SlurmOptions options() const {
    SlurmOptions o;
    o.job.drywarp = "/bin/false", o.job.folder = path, o.job.results = path + "/here";
    o.folder = path + "/here", o.scratch = path + "/scratch", o.tries = 2;
    return o;
  }

  static std::vector<RowRequest> rows(size_t count) {
    std::vector<RowRequest> all;
    for (size_t i = 0; i < count; ++i) {
      Request request;
      request.program = {"a.cu"};
      all.push_back({i, request});
    }
    return all;
  }

  // Job N runs on a node: each of its rows takes as many seconds as its number.
  void run_job(int number, const std::string& results, size_t but = ~size_t{0}) const {
    const auto all = rows_of_script(text_of(std::to_string(number) + ".job"), 0, "job");
    ASSERT_TRUE(all.ok());
    for (const RowRequest& row : *all) {
      if (row.row == but) continue;
      Measurement m;
      m.outcome = Outcome::Ok, m.seconds = static_cast<double>(row.row);
      write_whole(results + "/" + result_name(row.row, row.request.stage), text(to_json(m)));
    }
    fs::remove(path + "/" + std::to_string(number) + ".runs");
  }

  // What ends until `count` rows have, or an error.
  static Result<std::map<size_t, Measurement>> take(SlurmRunner& runner, size_t count) {
    std::map<size_t, Measurement> taken;
    while (taken.size() < count) {
      auto ended = runner.ended();
      if (!ended) return ended.problem();
      for (RowResult& one : *ended) EXPECT_TRUE(taken.emplace(one.row, one.measurement).second);
    }
    return taken;
  }

  std::string path;

 private:
  std::string before_;
};

TEST_F(Cluster, anArrayHasAsManyElementsAsTheClusterAllows) {
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(7)).ok());
  ASSERT_TRUE(runner.ended().ok());
  EXPECT_THAT(text_of("1.job"), HasSubstr("--array=1-3\n"));
  EXPECT_THAT(text_of("3.job"), HasSubstr("--array=1-1\n"));
  for (int job = 1; job <= 3; ++job) run_job(job, path + "/here");
  const auto taken = take(runner, 7);
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken->at(6).seconds, 6);
  EXPECT_TRUE(runner.idle());
}

TEST_F(Cluster, oneQuestionIsForAllJobsAndThoseThatEndedAreForgotten) {
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(7)).ok());
  EXPECT_FALSE(runner.idle());
  ASSERT_TRUE(runner.ended().ok());
  EXPECT_EQ(text_of("questions"), "1,2,3\n");
  run_job(2, path + "/here");
  ASSERT_TRUE(take(runner, 3).ok());
  while (text_of("questions").find("1,3\n") == std::string::npos) ASSERT_TRUE(runner.ended().ok());
  run_job(1, path + "/here"), run_job(3, path + "/here");
  ASSERT_TRUE(take(runner, 4).ok());
}

TEST_F(Cluster, filesThatAreNoResultOfAWaitingRowAreLeftAlone) {
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(1)).ok());
  Measurement m;
  m.outcome = Outcome::Ok;
  for (const char* name :
       {"0.whole.result", "1.counts.result", "1.result", "2.whole.result", "x.whole.result", "1whole.result"})
    write_whole(path + "/here/" + name, text(to_json(m)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runner.ended()->empty());
  write_whole(path + "/here/1.whole.result", text(to_json(m)));
  EXPECT_EQ(take(runner, 1)->size(), 1u);
}

TEST_F(Cluster, aRowWhoseJobLostItRunsAgainAndThenIsARow) {
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(3)).ok());
  ASSERT_TRUE(runner.ended().ok());
  run_job(1, path + "/here", 1);
  ASSERT_TRUE(take(runner, 2).ok());
  while (!is_there("2.job")) ASSERT_TRUE(runner.ended().ok());
  EXPECT_EQ(rows_of_script(text_of("2.job"), 0, "job")->size(), 1u);
  run_job(2, path + "/here", 1);
  const auto lost = take(runner, 1);
  ASSERT_TRUE(lost.ok());
  EXPECT_EQ(lost->at(1).outcome, Outcome::Failed);
  EXPECT_THAT(lost->at(1).reason, HasSubstr("Slurm ran it 2 times, without a result; the last job was 2"));
}

TEST_F(Cluster, anElementThatSlurmHoldsForGoodIsCancelledAndSubmittedAgain) {
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(1)).ok());
  ASSERT_TRUE(runner.ended().ok());
  std::ofstream(path + "/held") << "None\nlaunch_failed_requeued_held\n";  // another element of it may still run
  const auto later = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (std::chrono::steady_clock::now() < later) ASSERT_TRUE(runner.ended().ok());
  EXPECT_FALSE(is_there("cancelled"));
  std::ofstream(path + "/held") << "launch_failed_requeued_held\n";
  while (!is_there("2.job")) ASSERT_TRUE(runner.ended().ok());
  EXPECT_EQ(text_of("cancelled"), "1\n");
  fs::remove(path + "/held");
  run_job(2, path + "/here");
  ASSERT_TRUE(take(runner, 1).ok());
}

TEST_F(Cluster, aKilledDriversJobIsTakenOver) {
  write("here/next.sh", array_script(options().job, rows(3)));  // as sbatch had it
  fs::copy(path + "/here/next.sh", path + "/1.job");
  fs::rename(path + "/here/next.sh", path + "/here/1.sh");
  write("1.runs", "");
  write("count", "1\n");
  std::ofstream(path + "/count") << "1\n";
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(4)).ok());  // one more than the job has
  ASSERT_TRUE(runner.ended().ok());
  ASSERT_TRUE(is_there("2.job"));
  EXPECT_EQ(rows_of_script(text_of("2.job"), 0, "job")->front().row, 3u);
  run_job(1, path + "/here"), run_job(2, path + "/here");
  ASSERT_TRUE(take(runner, 4).ok());
  EXPECT_FALSE(is_there("3.job"));
}

TEST_F(Cluster, jobsThatNobodyWaitsForAreCancelled) {
  {
    SlurmRunner runner(options());
    ASSERT_TRUE(runner.start(rows(2)).ok());
    ASSERT_TRUE(runner.ended().ok());
  }
  EXPECT_EQ(text_of("cancelled"), "1\n");
  EXPECT_FALSE(is_there("here/1.sh"));
}

TEST_F(Cluster, resultsOfNodesAreFetchedOrNamed) {
  SlurmOptions apart = options();
  apart.job.results = path + "/nodes";
  {
    SlurmRunner runner(apart);
    ASSERT_TRUE(runner.start(rows(2)).ok());
    ASSERT_TRUE(runner.ended().ok());
    run_job(1, path + "/nodes");
    const auto taken = take(runner, 2);
    ASSERT_FALSE(taken.ok());
    EXPECT_THAT(taken.problem().message, HasSubstr("its results are in '" + path + "/nodes'"));
  }
  apart.fetch = "echo $DRYWARP_NODES > $C/asked; cp $DRYWARP_RESULTS/* $DRYWARP_FOLDER";
  SlurmRunner runner(apart);
  ASSERT_TRUE(runner.start(rows(2)).ok());
  ASSERT_TRUE(runner.ended().ok());
  run_job(2, path + "/nodes");
  ASSERT_TRUE(take(runner, 2).ok());
  EXPECT_EQ(text_of("asked"), "node1 node2\n");
}

TEST_F(Cluster, aClusterThatTakesNothingIsAnError) {
  write("full", "");
  SlurmRunner runner(options());
  ASSERT_TRUE(runner.start(rows(2)).ok());
  const auto ended = runner.ended();
  ASSERT_FALSE(ended.ok());
  EXPECT_THAT(ended.problem().message, HasSubstr("MaxJobCount"));
}

TEST_F(Cluster, anElementRunsEachRowOnce) {
  write("measure", "echo ran >> $C/ran; [ $(cat $C/ran | wc -l) = 1 ] && kill -9 $$\necho no luck; exit 5\n");
  const ElementOptions o{{path + "/measure"}, path + "/scratch", path + "/nodes/new", 3, {}};
  ASSERT_TRUE(run_element(rows(2), o).ok());
  ASSERT_TRUE(run_element(rows(2), o).ok());
  EXPECT_EQ(text_of("ran"), "ran\nran\n");
  const auto first = parse_measurement(text_of("nodes/new/1.whole.result"), "1");
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(first->reason, HasSubstr("signal 9"));
  EXPECT_THAT(parse_measurement(text_of("nodes/new/2.whole.result"), "2")->reason, HasSubstr("exit code 5: no luck"));
}

}  // namespace
}  // namespace drywarp::sweep
