#include "faces/compile/build_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/support/digest.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(path(name), text).ok());
    // A file system's clock is coarse: make the change clearly older than the build.
    fs::last_write_time(path(name), BuildCache::Clock::now() - std::chrono::seconds(5));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return home_.path() + "/" + name; }

  TemporaryFolder home_ = std::move(*TemporaryFolder::create());
  BuildCache cache_{home_.path() + "/cache"};
};

TEST_F(Cache, FindsWhatWasKept) {
  write("a.cu", "source");
  write("a.o", "object");
  ASSERT_TRUE(cache_.keep("0123abc", path("a.o"), "warning\n", {path("a.cu")}, BuildCache::Clock::now()));
  auto hit = cache_.find("0123abc");
  ASSERT_TRUE(hit);
  EXPECT_EQ(*read_file(hit->output), "object");
  EXPECT_EQ(hit->diagnostics, "warning\n");
  EXPECT_THAT(hit->dependencies, testing::ElementsAre(path("a.cu")));
  EXPECT_FALSE(cache_.find("0123abd"));
}

TEST_F(Cache, ForgetsWhenADependencyChangesAndRemembersWhenItChangesBack) {
  write("a.cu", "source");
  write("a.h", "header");
  write("a.o", "object");
  ASSERT_TRUE(cache_.keep("key0", path("a.o"), "", {path("a.cu"), path("a.h")}, BuildCache::Clock::now()));
  write("a.h", "HEADER");
  EXPECT_FALSE(cache_.find("key0"));
  write("a.h", "header");
  EXPECT_TRUE(cache_.find("key0"));
  fs::remove(path("a.h"));
  EXPECT_FALSE(cache_.find("key0"));
}

TEST_F(Cache, ReplacesAnOutdatedEntry) {
  write("a.cu", "one");
  write("a.o", "object one");
  ASSERT_TRUE(cache_.keep("key0", path("a.o"), "", {path("a.cu")}, BuildCache::Clock::now()));
  write("a.cu", "two");
  write("a.o", "object two");
  ASSERT_TRUE(cache_.keep("key0", path("a.o"), "", {path("a.cu")}, BuildCache::Clock::now()));
  EXPECT_EQ(*read_file(cache_.find("key0")->output), "object two");
}

TEST_F(Cache, KeepsNothingThatWasChangedDuringTheBuild) {
  auto started = BuildCache::Clock::now() - std::chrono::seconds(1);
  ASSERT_TRUE(write_file(path("a.cu"), "changed while the compiler ran").ok());
  write("a.o", "object");
  EXPECT_FALSE(cache_.keep("key0", path("a.o"), "", {path("a.cu")}, started));
  EXPECT_FALSE(cache_.find("key0"));
}

TEST_F(Cache, WithoutAFolderItFindsAndKeepsNothing) {
  BuildCache none("");
  write("a.o", "object");
  EXPECT_FALSE(none.keep("key0", path("a.o"), "", {}, BuildCache::Clock::now()));
  EXPECT_FALSE(none.find("key0"));
}

TEST_F(Cache, ShrinkRemovesWhatWasUsedLongestAgo) {
  write("a.o", std::string(1000, 'a'));
  for (const char* key : {"key1", "key2", "key3"}) {
    ASSERT_TRUE(cache_.keep(key, path("a.o"), "", {}, BuildCache::Clock::now()));
    fs::path place = fs::path(cache_.find(key)->output).parent_path();
    fs::last_write_time(place, BuildCache::Clock::now() - std::chrono::hours(key[3] == '2' ? 1 : 5));
  }
  fs::create_directories(cache_.kernels());
  for (const char* name : {"/old.o", "/new.o"}) {
    ASSERT_TRUE(write_file(cache_.kernels() + name, std::string(400, 'k')));
    fs::last_write_time(cache_.kernels() + name, BuildCache::Clock::now() - std::chrono::hours(name[1] == 'n' ? 0 : 3));
  }
  cache_.shrink(1500);
  EXPECT_FALSE(cache_.find("key1"));
  EXPECT_TRUE(cache_.find("key2"));
  EXPECT_FALSE(cache_.find("key3"));
  EXPECT_FALSE(fs::exists(cache_.kernels() + "/old.o"));
  EXPECT_TRUE(fs::exists(cache_.kernels() + "/new.o"));
}

TEST_F(Cache, IsThreadSafe) {
  write("a.cu", "source");
  write("a.o", "object");
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        cache_.keep("key0", path("a.o"), "", {path("a.cu")}, BuildCache::Clock::now());
        if (auto hit = cache_.find("key0")) {
          if (Result<std::string> bytes = read_file(hit->output)) EXPECT_EQ(*bytes, "object");
        }
      }
    });
  }
  threads.clear();
  cache_.keep("key0", path("a.o"), "", {path("a.cu")}, BuildCache::Clock::now());
  EXPECT_TRUE(cache_.find("key0"));
}

TEST(Digest, DependsOnEveryByteAndOnWherePartsEnd) {
  auto digest = [](std::initializer_list<const char*> parts) {
    Digester digester;
    for (const char* part : parts) digester.add(part);
    return digester.hex();
  };
  EXPECT_EQ(digest({"ab", "c"}), digest({"ab", "c"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"abcdefghi"}), digest({"abcdefghj"}));
  EXPECT_NE(digest({"abcdefgh"}), digest({"abcdefgH"}));
  EXPECT_NE(digest({""}), digest({}));
  EXPECT_NE(digest({std::string(8, 'x').c_str()}), digest({std::string(9, 'x').c_str()}));
  EXPECT_EQ(digest({"a"}).size(), 32u);
}

TEST(Digest, OfAFileIsThatOfItsBytes) {
  TemporaryFolder home = std::move(*TemporaryFolder::create());
  std::string path = home.path() + "/f";
  ASSERT_TRUE(write_file(path, "content").ok());
  EXPECT_EQ(digest_file(path), Digester().add("content").hex());
  ASSERT_TRUE(write_file(path, "").ok());
  EXPECT_EQ(digest_file(path), Digester().add("").hex());
  EXPECT_FALSE(digest_file(home.path() + "/missing"));
  EXPECT_FALSE(digest_file(home.path()));
}

}  // namespace
}  // namespace drywarp::compile
