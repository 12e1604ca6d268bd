# Puts the page into the program. Its raw string is longer than compilers must support; ours have no limit.
embed_files(PAGE_ENTRY NAME ${PROJECT_SOURCE_DIR}/page/dist/page.html)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/page_asset.cpp @ONLY CONTENT
"#include \"profile/document/page_asset.h\"

namespace drywarp::document {
namespace {
struct Asset {
  const char *name, *text;  // too long to be measured at compile time
};
constexpr Asset kAssets[] = {
@PAGE_ENTRY@};
}  // namespace

std::string_view page_asset() { return kAssets[0].text; }
}  // namespace drywarp::document
")
target_sources(drywarp_profile_document PRIVATE ${PROJECT_BINARY_DIR}/generated/page_asset.cpp)
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/page_asset.cpp PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings
                            SKIP_UNITY_BUILD_INCLUSION ON)
