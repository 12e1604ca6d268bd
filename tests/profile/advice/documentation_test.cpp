// docs/advice.md has every rule and every item of the checklist, as their tables have them. DRYWARP_ACCEPT=1 rewrites
// it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "profile/advice/rules/advise.h"
#include "profile/advice/run/advise_run.h"

namespace drywarp::advice {
namespace {

std::string rules_table() {
  std::string out = "| rule | item of the checklist | gain | threshold |\n|---|---|---|---|\n";
  for (const Rule& rule : all_rules())
    out += fmt::format("| `{}` | {} | {} | {} |\n", rule.key, text(rule.item).title,
                       rule.scenario ? fmt::format("`{}`", whatif::key(*rule.scenario)) : "-", rule.source);
  return out;
}

std::string run_rules_table() {
  std::string out = "| rule | item of the checklist | threshold |\n|---|---|---|\n";
  for (const RunRule& rule : all_run_rules())
    out += fmt::format("| `{}` | {} | {} |\n", rule.key, text(rule.item).title, rule.source);
  return out;
}

std::string checklist_table() {
  std::string out = "| item | benefit to compute | benefit to memory |\n|---|---|---|\n";
  for (unsigned i = 0; i < kItems; ++i) {
    const ItemText& item = text(static_cast<Item>(i));
    out += fmt::format("| {} | {} | {} |\n", item.title, item.compute, item.memory.empty() ? "-" : item.memory);
  }
  return out;
}

std::string with_part(const std::string& page, const std::string& name, const std::string& part) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const size_t at = page.find(begin), end = page.find("<!-- end -->", at);
  if (at == page.npos || end == page.npos) return "no mark for " + name;
  return page.substr(0, at) + begin + part + page.substr(end);
}

TEST(Documentation, HasEveryRule) {
  const char* const path = DRYWARP_SOURCE_DIR "/docs/advice.md";
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted =
      with_part(with_part(with_part(page, "rules", rules_table()), "run rules", run_rules_table()), "checklist",
                checklist_table());
  if (std::getenv("DRYWARP_ACCEPT")) std::ofstream(path) << wanted;
  EXPECT_EQ(page, wanted) << "DRYWARP_ACCEPT=1 build/bin/test_profile_advice rewrites docs/advice.md";
}

}  // namespace
}  // namespace drywarp::advice
