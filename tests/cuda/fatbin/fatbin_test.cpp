#include "cuda/fatbin/fatbin.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <random>

#include "image_builder.h"

namespace drywarp::fatbin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kPtx = "//\n.version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

std::string longer() {
  std::string text = kPtx;
  for (int i = 0; i < 500; ++i) text += "// line " + std::to_string(i * 7919) + "\n";
  return text;
}

std::vector<uint8_t> golden(const std::string& name) {
  std::ifstream in(DRYWARP_SOURCE_DIR "/tests/golden/fatbin/" + name + ".fatbin", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Fatbin, ReadsEveryCompression) {
  for (const uint64_t flags : {0x11, 0x8011, 0x2011}) {
    const auto bytes = make_image({{.text = longer(), .flags = flags}});
    const auto image = read_image(bytes);
    ASSERT_TRUE(image.ok()) << image.problem().to_string();
    ASSERT_EQ(image->entries.size(), 1u);
    EXPECT_EQ(image->entries[0].sm, 90u);
    const auto text = image->entries[0].contents();
    ASSERT_TRUE(text.ok()) << text.problem().to_string();
    EXPECT_EQ(*text, longer());
  }
}

TEST(Fatbin, ReadsWhatNvccMade) {
  struct Expected {
    const char* name;
    size_t entries;
    Compression compression;
    const char* inside;
  };
  for (const Expected& e : {Expected{"default", 1, Compression::Zstd, ".entry _Z5scalePff"},
                            Expected{"speed", 1, Compression::Lz4, ".entry _Z5scalePff"},
                            Expected{"none", 1, Compression::None, ".entry _Z5scalePff"},
                            Expected{"size", 2, Compression::Zstd, ".entry _Z5scalePff"},
                            Expected{"rdc", 2, Compression::Zstd, ".func (.param .b32 func_retval0) _Z5twicef"}}) {
    const auto bytes = golden(e.name);
    const auto image = read_image(bytes);
    ASSERT_TRUE(image.ok()) << e.name << ": " << image.problem().to_string();
    EXPECT_EQ(image->entries.size(), e.entries) << e.name;
    const Entry* best = image->best_ptx(90);
    ASSERT_NE(best, nullptr) << e.name;
    EXPECT_EQ(best->compression, e.compression) << e.name;
    const auto text = best->contents();
    ASSERT_TRUE(text.ok()) << e.name << ": " << text.problem().to_string();
    EXPECT_THAT(*text, HasSubstr(e.inside)) << e.name;
    EXPECT_THAT(*text, HasSubstr(".target sm_90")) << e.name;
    EXPECT_NE(text->back(), '\0');
  }
}

TEST(Fatbin, DecompressesMachineCodeToo) {
  const auto bytes = golden("size");
  const auto image = read_image(bytes);
  ASSERT_TRUE(image.ok());
  const auto code = image->entries[0].contents();
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(image->entries[0].kind, EntryKind::Elf);
  EXPECT_THAT(*code, StartsWith("\x7f"
                                "ELF"));
}

TEST(Fatbin, ChoosesTheNewestPtxThatTheDeviceCanUse) {
  const auto bytes = golden("multi");
  const auto image = read_image(bytes);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->best_ptx(90)->sm, 90u);
  EXPECT_EQ(image->best_ptx(89)->sm, 80u);
  EXPECT_EQ(image->best_ptx(121)->sm, 100u);
  EXPECT_EQ(image->best_ptx(75)->sm, 75u);
  EXPECT_EQ(image->best_ptx(70), nullptr);
}

TEST(Fatbin, KnowsMachineCodeOnly) {
  const auto bytes = golden("sass");
  const auto image = read_image(bytes);
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(image->has_sass_only());
  EXPECT_EQ(image->best_ptx(90), nullptr);
  const auto both = golden("size");
  EXPECT_FALSE(read_image(both)->has_sass_only());
}

TEST(Fatbin, ReadsImagesOneAfterTheOther) {
  auto bytes = make_image({{.sm = 70, .text = kPtx}});
  bytes.resize(bytes.size() + 24);  // padding
  const auto second = make_image({{.sm = 80, .text = kPtx},
                                  {.kind = 2,
                                   .sm = 80,
                                   .text = "\x7f"
                                           "ELF"}});
  bytes.insert(bytes.end(), second.begin(), second.end());
  bytes.insert(bytes.end(), {'j', 'u', 'n', 'k'});
  const auto image = read_image(bytes);
  ASSERT_TRUE(image.ok()) << image.problem().to_string();
  EXPECT_EQ(image->entries.size(), 3u);
}

TEST(Fatbin, ReadsBarePtxWithAndWithoutNul) {
  for (const std::string& text : {kPtx, kPtx + std::string(3, '\0')}) {
    const auto image = read_image({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    ASSERT_TRUE(image.ok()) << image.problem().to_string();
    ASSERT_EQ(image->entries.size(), 1u);
    EXPECT_EQ(image->entries[0].sm, 80u);
    EXPECT_EQ(*image->entries[0].contents(), kPtx);
  }
}

TEST(Fatbin, ReadsWrappersInMemory) {
  const auto bytes = make_image({{.text = kPtx}});
  const WrapperLayout wrapper{.data = bytes.data()};
  const auto read = read_wrapper_in_memory(&wrapper);
  ASSERT_TRUE(read.ok()) << read.problem().to_string();
  ASSERT_EQ(read->ptx(90).size(), 1u);
  EXPECT_EQ(*read->ptx(90)[0]->contents(), kPtx);
  EXPECT_TRUE(read->ptx(80).empty());

  const WrapperLayout text{.data = kPtx.c_str()};
  EXPECT_EQ(*read_wrapper_in_memory(&text)->ptx(90)[0]->contents(), kPtx);
}

// Calls that load code at run time pass no length.
TEST(Fatbin, KnowsHowLongAnImageInMemoryIs) {
  const std::string ptx = ".version 8.0\n.target sm_80\n";
  EXPECT_EQ(image_bytes(ptx.c_str()).size(), ptx.size());
  const auto image = make_image({{.text = ptx}});
  std::vector<uint8_t> longer = image;
  longer.resize(image.size() + 100, 0xAB);
  EXPECT_EQ(image_bytes(longer.data()).size(), image.size());
  const WrapperLayout wrapper{.data = longer.data()};
  EXPECT_EQ(image_bytes(&wrapper).data(), longer.data());
  std::vector<uint8_t> cubin(200);
  std::memcpy(cubin.data(),
              "\x7f"
              "ELF",
              4);
  put<uint64_t>(cubin, 40, 80);  // the section table: two of 50 bytes at 80
  put<uint16_t>(cubin, 58, 50);
  put<uint16_t>(cubin, 60, 2);
  EXPECT_EQ(image_bytes(cubin.data()).size(), 180u);
  EXPECT_TRUE(image_bytes(nullptr).empty());
}

TEST(Fatbin, FindsTheTextsThatBelongTogetherInALinkedWrapper) {
  const auto linked = make_image({{.kind = 2,
                                   .text = "\x7f"
                                           "ELF"}});
  const auto a = make_image({{.text = kPtx + "// a\n", .flags = 0x8011}, {.sm = 100, .text = "too new"}});
  const auto b = make_image({{.kind = 2,
                              .text = "\x7f"
                                      "ELF"},
                             {.sm = 75, .text = kPtx + "// b\n", .flags = 0x2011}});
  const void* prelinked[] = {a.data(), b.data(), nullptr};
  const WrapperLayout wrapper{.version = 2, .data = linked.data(), .prelinked = prelinked};
  const auto read = read_wrapper_in_memory(&wrapper);
  ASSERT_TRUE(read.ok()) << read.problem().to_string();
  EXPECT_FALSE(read->has_sass_only());
  const auto texts = read->ptx(90);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(*texts[0]->contents(), HasSubstr("// a"));
  EXPECT_THAT(*texts[1]->contents(), HasSubstr("// b"));

  const WrapperLayout alone{.version = 2, .data = linked.data()};
  EXPECT_TRUE(read_wrapper_in_memory(&alone)->has_sass_only());
}

TEST(Fatbin, SaysWhatIsWrong) {
  EXPECT_FALSE(read_image({}).ok());
  const std::string words = "hello, world; this is no device code";
  EXPECT_FALSE(read_image({reinterpret_cast<const uint8_t*>(words.data()), words.size()}).ok());
  EXPECT_FALSE(read_wrapper_in_memory(nullptr).ok());
  const WrapperLayout wrong{.magic = 0x12345678, .data = words.data()};
  EXPECT_THAT(read_wrapper_in_memory(&wrong).problem().message, HasSubstr("0x12345678"));
  const WrapperLayout nothing{};
  EXPECT_FALSE(read_wrapper_in_memory(&nothing).ok());
  // Unknown compression.
  auto odd = make_image({{.text = kPtx}});
  put<uint64_t>(odd, 16 + 40, 0x1011);
  const auto image = read_image(odd);
  ASSERT_TRUE(image.ok());
  EXPECT_THAT(image->entries[0].contents().problem().hint, HasSubstr("-compress-mode=none"));
}

TEST(Fatbin, SizesThatDoNotFitAreErrors) {
  const auto good = make_image({{.text = longer(), .flags = 0x8011}});
  struct Damage {
    size_t at;
    uint64_t value;
    unsigned bytes;
  };
  for (const Damage& d : {Damage{8, ~0ull, 8}, Damage{8, good.size(), 8}, Damage{6, 8, 2}, Damage{6, 0xFFFF, 2},
                          Damage{20, 0, 4}, Damage{20, 40, 4}, Damage{20, 0xFFFFFFFF, 4}, Damage{24, ~0ull, 8},
                          Damage{24, good.size(), 8}, Damage{32, 0xFFFFFFFF, 4}, Damage{20, 56, 4}}) {
    auto bytes = good;
    std::memcpy(bytes.data() + d.at, &d.value, d.bytes);
    EXPECT_FALSE(read_image(bytes).ok()) << "byte " << d.at << " = " << d.value;
  }
  for (size_t cut : {1u, 15u, 17u, 40u, 79u, 81u}) EXPECT_FALSE(read_image(std::span(good).first(cut)).ok()) << cut;
  // Plausible sizes that do not match the contents.
  for (uint64_t size : {uint64_t(0), uint64_t(10), uint64_t(longer().size() + 1), uint64_t(1) << 30, ~uint64_t(0)})
    for (uint64_t flags : {0x8011, 0x2011}) {
      auto bytes = make_image({{.text = longer(), .flags = flags}});
      put<uint64_t>(bytes, 16 + 56, size);
      const auto image = read_image(bytes);
      ASSERT_TRUE(image.ok());
      EXPECT_FALSE(image->entries[0].contents().ok()) << size;
    }
}

TEST(Fatbin, DamagedBytesNeverLeaveTheImage) {
  std::mt19937 random(7);
  unsigned read = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    auto bytes =
        make_image({{.text = longer(), .flags = round % 2 ? 0x8011u : 0x2011u}, {.kind = 2, .sm = 80, .text = "code"}});
    for (unsigned i = 0; i < 1 + round % 5; ++i) bytes[random() % (round % 3 ? 96 : bytes.size())] = uint8_t(random());
    const auto image = read_image(bytes);
    if (!image) continue;
    for (const Entry& e : image->entries) {
      ASSERT_GE(e.payload.data(), bytes.data());
      ASSERT_LE(e.payload.data() + e.payload.size(), bytes.data() + bytes.size());
      if (e.contents().ok()) ++read;
    }
  }
  EXPECT_GT(read, 100u);  // not everything is refused
}

}  // namespace
}  // namespace drywarp::fatbin
