// What a job's script says to sbatch, and that an element finds its rows in it.
#include "sweep/cluster/array_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<RowRequest> rows(size_t count) {
  std::vector<RowRequest> all;
  for (size_t i = 0; i < count; ++i) {
    Request request;
    request.program = {"it's.cu", "-DBM=" + std::to_string(i)};
    request.arguments = {"__ROWS__"};
    request.stage = Stage::Slice;
    all.push_back({10 * i, std::move(request)});
  }
  return all;
}

ArrayJob job() {
  ArrayJob job;
  job.drywarp = "/opt/o'brien/drywarp", job.folder = "/home/me", job.results = "/home/me/s.slurm";
  return job;
}

TEST(ArrayScript, hasALineForAnElement) {
  ArrayJob three = job();
  three.rows_an_element = 2;
  const std::string script = array_script(three, rows(5));
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=1-3\n"));
  for (const auto& [element, expected] :
       std::map<size_t, std::vector<size_t>>{{1, {0, 10}}, {2, {20, 30}}, {3, {40}}}) {
    const auto found = rows_of_script(script, element, "job.sh");
    ASSERT_TRUE(found.ok()) << found.problem().to_string();
    std::vector<size_t> numbers;
    for (const RowRequest& row : *found) numbers.push_back(row.row);
    EXPECT_EQ(numbers, expected);
    EXPECT_EQ((*found)[0].request.stage, Stage::Slice);
    EXPECT_EQ((*found)[0].request.program[0], "it's.cu");
    EXPECT_EQ((*found)[0].request.arguments[0], "__ROWS__");
  }
  EXPECT_EQ(rows_of_script(script, 0, "job.sh")->size(), 5u);
  EXPECT_FALSE(rows_of_script(script, 4, "job.sh").ok());
}

TEST(ArrayScript, usersOptionsReplaceItsOwn) {
  ArrayJob mine = job();
  mine.options = {{"partition", "long"}, {"cpus-per-task", "4"}, {"exclusive", ""}, {"comment", "two words"}};
  mine.more_options = {"-A physics"};
  mine.at_a_time = 7;
  mine.limits = {2.5, 3ull << 30};
  const std::string script = array_script(mine, rows(1));
  for (const char* line : {"#SBATCH --partition=long\n", "#SBATCH --cpus-per-task=4\n", "#SBATCH --exclusive\n",
                           "#SBATCH --comment=\"two words\"\n", "#SBATCH -A physics\n", "#SBATCH --array=1-1%7\n",
                           "#SBATCH --mem=3072M\n", "#SBATCH --chdir=/home/me\n",
                           "exec '/opt/o'\\''brien/drywarp' sweep element \"$0\" --results \"$results\" --limit 2.5 "
                           "--memory 3072M\n"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_THAT(script, Not(HasSubstr("--cpus-per-task=1\n")));
}

TEST(ArrayScript, otherFilesAreNoJobs) {
  for (const char* text : {"", "#!/bin/bash\n", "\n__ROWS__\nx\n", "\n__ROWS__\n{}\n", "\n__ROWS__\n[{\"row\":-1}]\n",
                           "\n__ROWS__\n[{\"row\":1,\"request\":7}]\n", "\n__ROWS__\n"})
    EXPECT_FALSE(rows_of_script(text, 1, "x.sh").ok()) << text;
}

}  // namespace
}  // namespace drywarp::sweep
