// The page: nothing that a program says can become a part of it but data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "drawn_profile.h"
#include "profile/document/packing.h"
#include "profile/document/page_asset.h"
#include "profile/document/writers.h"

namespace drywarp::document {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kBegin = R"(<script type="application/gzip" id="data">)", kEnd = "</script>";

size_t times(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string page_of(const Json& document) {
  std::ostringstream out;
  write_page(out, document);
  return out.str();
}
std::string packed_in(const std::string& page) {
  const size_t begin = page.find(kBegin) + kBegin.size();
  return page.substr(begin, page.find(kEnd, begin) - begin);
}

std::string from_base64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  unsigned known = 0;
  for (const char c : text) {
    const auto digit = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit), known += 6;
    if (known >= 8) out += static_cast<char>(bits >> (known -= 8));
  }
  return out;
}
std::string gunzip(std::string data) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(data.data()), stream.avail_in = static_cast<uInt>(data.size());
  std::string out(size_t{64} << 20, 0);
  stream.next_out = reinterpret_cast<Bytef*>(out.data()), stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}
std::string data_in(const std::string& page) { return gunzip(from_base64(packed_in(page))); }

TEST(Packing, IsThatOfTheStandards) {
  for (const auto& [data, text] :
       {std::pair("", ""), {"M", "TQ=="}, {"Ma", "TWE="}, {"Man", "TWFu"}, {"Many", "TWFueQ=="}})
    EXPECT_EQ(base64(data), text);
  EXPECT_EQ(base64("\xff\xfe\xfb"), "//77");
  std::string large;
  for (uint32_t i = 0, random = 1; i < 300'000; ++i)
    large += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
  for (const std::string& data : {std::string(), std::string("once"), std::string(1'000'000, 'x'), large}) {
    EXPECT_TRUE(gunzip(gzip(data)) == data) << data.size();
    EXPECT_TRUE(from_base64(base64(gzip(data))) == gzip(data)) << data.size();
  }
}

TEST(PageAsset, IsTheFile) {
  std::ifstream in(DRYWARP_SOURCE_DIR "/page/dist/page.html");
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(page_asset() == file);
}
TEST(PageAsset, HasAPlaceForTheDocumentAndAPolicy) {
  EXPECT_EQ(times(page_asset(), "<!--DATA-->"), 1u);
  EXPECT_EQ(times(page_asset(), "<title>drywarp</title>"), 1u);
  EXPECT_EQ(times(page_asset(), "http-equiv=\"Content-Security-Policy\""), 1u);
  EXPECT_THAT(page_asset(), HasSubstr("default-src 'none'"));
}

class Page : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(DRYWARP_SOURCE_DIR); }
  [[nodiscard]] Json document() const { return *report_document({{"run.dwprof", &profile_}}); }
  record::Profile profile_ = drawn_profile("tests/golden/report/sample.cu");
};

TEST_F(Page, HoldsTheDocument) {
  const std::string page = page_of(document());
  EXPECT_EQ(Json::parse(data_in(page)), document());
  EXPECT_THAT(page, Not(HasSubstr("<!--DATA-->")));
  EXPECT_THAT(page, HasSubstr("<title>./transpose 1024 - drywarp</title>"));
}

TEST_F(Page, IsCalledAsItsSweep) {
  const Json sweep = sweep_document("s<b.dwsweep", {{"rows", Json::array()}}, "0.1.0");
  EXPECT_THAT(page_of(sweep), HasSubstr("<title>s&lt;b.dwsweep - drywarp</title>"));
}

TEST_F(Page, HostileTextsStayData) {
  const size_t scripts = times(page_of(document()), "<script"), images = times(page_of(document()), "<img");
  const std::string attack =
      "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--\xE2\x80\xA8\xE2\x80\xA9&lt;";
  auto kernel = std::make_shared<KernelInfo>(*profile_.kernels[0]);
  kernel->display_name = kernel->name = attack;
  kernel->instructions[0].text = attack;
  profile_.kernels[0] = kernel;
  profile_.program = attack + "</title>";
  profile_.device = profile_.kept.output = attack;
  profile_.kept.sources.begin()->second[3] = attack;
  profile_.launches[0].range = profile_.launches[3].fault = attack;
  profile_.drawn[0].code.instructions[0].text = attack;
  profile_.api_calls[0].name = attack;
  const std::string page = page_of(document());
  EXPECT_EQ(packed_in(page).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
            std::string::npos);
  const Json back = Json::parse(data_in(page));
  EXPECT_EQ(back, document());
  EXPECT_EQ(back["profiles"][0]["output"], attack);
  EXPECT_EQ(times(page, "<script"), scripts);
  EXPECT_EQ(times(page, "<img"), images);
  EXPECT_EQ(times(page, "</title>"), 1u);
}

TEST_F(Page, BytesThatAreNoTextAreReplaced) {
  profile_.kept.output = "caf\xE9 \xFF\xFE end";
  profile_.program = "./\xC0\xAF";
  auto kernel = std::make_shared<KernelInfo>(*profile_.kernels[1]);
  kernel->display_name = "bad\xF0\x28";
  profile_.kernels[1] = kernel;
  const Json back = Json::parse(data_in(page_of(document())));
  EXPECT_EQ(back["profiles"][0]["output"], "caf\uFFFD \uFFFD\uFFFD end");
  EXPECT_THAT(page_of(document()), HasSubstr("<title>./\uFFFD\uFFFD - drywarp</title>"));
}

}  // namespace
}  // namespace drywarp::document
