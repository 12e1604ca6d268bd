// Nsight Compute's layouts against what it wrote on an H200 (tests/golden/ncu): recorded values are laid out by our
// writers, and the sections' labels and units are compared.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/device/device_spec.h"
#include "faces/profilers/ncu/layout.h"
#include "faces/profilers/ncu/pages.h"
#include "faces/profilers/ncu/rules.h"
#include "profile/metrics/rollups.h"

namespace drywarp::profilers::ncu {
namespace {

using ::testing::HasSubstr;

using Cells = std::vector<std::string>;

std::string golden(const std::string& name) {
  std::ifstream in(std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/ncu/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

Cells csv_cells(const std::string& line) {
  Cells cells;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.push_back(std::move(cell)), cell.clear();
    else
      cell += line[i];
  }
  cells.push_back(std::move(cell));
  return cells;
}

// The lines of a recording from its CSV's heading on.
std::vector<std::string> csv_lines(const std::string& name) {
  std::istringstream in(golden(name));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!lines.empty() || line.starts_with("\"ID\"")) lines.push_back(line);
  return lines;
}

struct Recorded {
  std::string section, label, unit, value;
};
std::vector<Recorded> recorded(const std::string& name) {
  std::vector<Recorded> rows;
  for (const std::string& line : csv_lines(name)) {
    const Cells cells = csv_cells(line);
    if (cells[0] == "0" && !cells[12].empty()) rows.push_back({cells[11], cells[12], cells[13], cells[14]});
  }
  return rows;
}

double number(std::string text) {
  std::erase(text, ',');
  if (text.empty()) return 0;
  return std::stod(text);
}

// A recorded value as the writers get it: in base units.
Value value_of(const std::string& label, const std::string& unit, const std::string& text) {
  static const std::map<std::string, std::pair<std::string, double>> scaled = {{"Kbyte", {"byte", 1e3}},
                                                                               {"Mbyte", {"byte", 1e6}},
                                                                               {"us", {"ns", 1e3}},
                                                                               {"ms", {"ns", 1e6}},
                                                                               {"Ghz", {"hz", 1e9}}};
  const size_t word = std::min(unit.find('/'), unit.size());
  const auto found = scaled.find(unit.substr(0, word));
  Value value{label, label, found == scaled.end() ? unit : found->second.first + unit.substr(word), {}};
  if (text == "n/a" || text.empty()) return value;
  if (std::isdigit(static_cast<unsigned char>(text[0])) == 0)
    value.text = text;
  else
    value.number = number(text) * (found == scaled.end() ? 1 : found->second.second);
  return value;
}

Results one_kernel(const std::string& process, int pid) {
  Results results;
  results.pid = pid, results.process = process, results.compute_capability = "9.0";
  KernelResult kernel;
  kernel.kernel = "void copy<float>(T1 *, const T1 *, int, int)";
  kernel.grid = {64, 64, 1}, kernel.block = {32, 32, 1};
  results.kernels.push_back(std::move(kernel));
  return results;
}

template <class Write>
std::string text_of(Write&& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

TEST(NcuCatalogue, SectionsHaveTheRecordedRows) {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> theirs, ours;
  for (const char* file : {"details.csv", "section.csv"})
    for (const Recorded& r : recorded(file)) {
      auto& rows = theirs[r.section];
      if (std::ranges::find(rows, std::pair(r.label, r.unit)) == rows.end()) rows.emplace_back(r.label, r.unit);
    }
  ASSERT_EQ(theirs.size(), 4u);  // SpeedOfLight, LaunchStats, Occupancy, WorkloadDistribution
  for (const Section& section : all_sections())
    for (const Row& row : section.rows()) ours[std::string(section.title)].emplace_back(row.label, row.unit);
  for (const auto& [title, rows] : theirs) EXPECT_EQ(ours[title], rows) << title;
}

TEST(NcuCatalogue, TheFullSetHasTheRecordedRowsInOrder) {
  std::vector<std::string> theirs, ours;
  for (const Recorded& r : recorded("set_full.csv")) theirs.push_back(r.section + ": " + r.label);
  const std::vector<std::string> sets = {"full"};
  const auto sections = select_sections({}, sets);
  ASSERT_TRUE(sections);
  for (const Section* s : *sections)
    for (const Row& row : s->rows()) ours.push_back(std::string(s->title) + ": " + std::string(row.label));
  EXPECT_EQ(ours, theirs);
  EXPECT_GT(theirs.size(), 60u);
}

TEST(NcuCatalogue, ListsOfSetsAndSectionsAreTheRecordedOnes) {
  const auto first_columns = [](const std::string& text, size_t width) {
    std::istringstream in(text);
    Cells lines;
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with("-")) lines.push_back(line.substr(0, width));
    return lines;
  };
  EXPECT_EQ(first_columns(text_of(list_sets), 95), first_columns(golden("list_sets.txt"), 95));
  EXPECT_EQ(first_columns(text_of(list_sections), 118), first_columns(golden("list_sections.txt"), 118));
}

TEST(NcuCatalogue, ChipsAreTheRecordedOnes) {
  std::string text = golden("list_chips.txt");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_EQ(std::vector<std::string>(their_chips().begin(), their_chips().end()), comma_separated(text));
  const auto chosen = select_chips("gh100,ga100,gh100");
  ASSERT_TRUE(chosen);
  EXPECT_EQ(*chosen, (Cells{"ga100", "gh100"})) << "as recorded of --chips gh100,ga100";
  EXPECT_FALSE(select_chips("gh100,gh1000"));
}

// A golden file of headings, each above its indented lines.
std::map<std::string, Cells> lists_of(const std::string& file) {
  std::istringstream in(golden(file));
  std::map<std::string, Cells> lists;
  std::string heading;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  "))
      lists[heading].push_back(line.substr(2));
    else
      heading = line;
  return lists;
}

TEST(NcuCatalogue, AllDetailsHaveTheRecordedRows) {
  std::map<std::string, Cells> theirs = lists_of("all.txt");
  ASSERT_EQ(theirs.size(), 10u);
  size_t more = 0;
  for (const Section& s : all_sections()) {
    const auto found = theirs.find(std::string(s.title));
    if (found == theirs.end()) continue;
    Cells ours;
    for (const Row& row : s.all_rows()) {
      ours.emplace_back(row.label);
      if (const auto* m = metrics::find_metric(row.metric))
        EXPECT_EQ(unit_of({std::string(row.metric), m}), row.unit) << row.metric;
    }
    EXPECT_EQ(ours, found->second) << s.title;
    more += ours.size() - s.rows().size();
  }
  EXPECT_GT(more, 30u);
}

TEST(NcuCatalogue, BodiesHaveTheRecordedTables) {
  std::istringstream in(golden("tables.txt"));
  std::map<std::string, std::multiset<std::string>> theirs;
  std::string table;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  "))
      theirs[table].insert(line.substr(2));
    else
      table = line;
  ASSERT_EQ(theirs.size(), 10u);
  size_t compared = 0;
  for (const Section& section : all_sections())
    for (const BodyTable& t : tables_of(section.id)) {
      const auto found = theirs.find(fmt::format("{}|{}|{}", section.title, t.heading, t.name));
      std::multiset<std::string> ours;
      for (const TableRow& row : rows_of(t)) ours.insert(row.label);
      EXPECT_FALSE(ours.empty()) << t.name;
      if (found == theirs.end()) continue;
      EXPECT_EQ(ours, found->second) << t.name;
      ++compared;
    }
  EXPECT_EQ(compared, 10u);
}

TEST(NcuPages, BodiesAreLaidOutAsRecorded) {
  const std::string wanted = golden("body.txt");
  Results results = one_kernel("prog", 1);
  Block block{"Scheduler Statistics", {}, "SchedulerStats"};
  const std::vector<BodyTable> tables = tables_of("SchedulerStats");
  ASSERT_EQ(tables.size(), 1u);
  FilledTable table{tables[0], {}};
  const std::map<std::string, double> recorded = {{"Issued Warp Per Scheduler", 0.05},
                                                  {"Theoretical Warps Per Scheduler", 16},
                                                  {"GPU Maximum Warps Per Scheduler", 16},
                                                  {"Active Warps Per Scheduler", 9.75},
                                                  {"Eligible Warps Per Scheduler", 0.10}};
  for (const TableRow& row : rows_of(tables[0]))
    table.values.push_back(
        {row.label, row.metric, row.label.starts_with("Issued") ? "" : "warp", recorded.at(row.label)});
  block.tables = {table};
  results.kernels[0].blocks = {block};
  EXPECT_THAT(text_of([&](std::ostream& out) { write_details(out, results, {}); }), HasSubstr(wanted));
  PageStyle csv{{true, false}, true, MetricLabel::Label};
  csv.bodies = true;
  const std::string lines = text_of([&](std::ostream& out) { write_details(out, results, csv); });
  EXPECT_THAT(lines, HasSubstr("\"Section Name\",\"Body Item Label\",\"Metric Name\""));
  EXPECT_THAT(
      lines,
      HasSubstr(
          "\"9.0\",\"Scheduler Statistics\",\"Warps Per Scheduler\",\"Issued Warp Per Scheduler\",\"\",\"0.05\"\n"));
}

TEST(NcuPages, DetailsAreLaidOutAsRecorded) {
  const std::string theirs = golden("metrics.txt");
  Results results = one_kernel("transpose", 1318);
  Block block{"Command line profiler metrics", {}};
  std::istringstream in(theirs);
  std::string wanted;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("[1318]")) inside = true;
    if (line.find("Warning:") != std::string::npos || !inside) continue;
    wanted += line + '\n';
    if (line.empty()) break;
    if (line.find("__") == std::string::npos) continue;
    std::istringstream words(line);
    Cells cells{std::istream_iterator<std::string>(words), {}};
    if (cells.size() == 3 && cells[1] != "(!)")
      block.values.push_back(value_of(cells[0], cells[1], cells[2]));
    else
      block.values.push_back(value_of(cells[0], "", "n/a"));
  }
  ASSERT_EQ(block.values.size(), 9u);
  results.kernels[0].blocks.push_back(block);
  EXPECT_EQ(text_of([&](std::ostream& out) { write_details(out, results, {}); }), wanted);
}

TEST(NcuPages, DetailsInCsvAreTheRecordedLines) {
  for (const auto& [file, rules] : {std::pair("metrics.csv", false), std::pair("section.csv", true)}) {
    const std::vector<std::string> lines = csv_lines(file);
    ASSERT_GT(lines.size(), 5u) << file;
    Results results = one_kernel("transpose", std::stoi(csv_cells(lines[1])[1]));
    results.rules = rules;
    std::string wanted = lines[0] + '\n';
    for (const std::string& line : lines) {
      const Cells cells = csv_cells(line);
      if (cells[0] != "0" || cells[12].empty()) continue;
      wanted += line + '\n';
      auto& blocks = results.kernels[0].blocks;
      if (blocks.empty() || blocks.back().title != cells[11]) blocks.push_back({cells[11], {}});
      blocks.back().values.push_back(value_of(cells[12], cells[13], cells[14]));
    }
    const PageStyle style{{true, false}, true, MetricLabel::Label};
    EXPECT_EQ(text_of([&](std::ostream& out) { write_details(out, results, style); }), wanted) << file;
  }
}

TEST(NcuPages, RulesFollowTheirSectionAsRecorded) {
  // The first recorded kernel's first rule: its text, and its place between two sections.
  std::istringstream in(golden("details.txt"));
  std::string wanted, words;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("    OPT   ")) inside = true;
    if (!inside) continue;
    wanted += line + '\n';
    if (line.empty()) break;
    line = line.substr(10);
    words += line.substr(0, line.find_last_not_of(' ') + 1) + ' ';
  }
  ASSERT_GT(words.size(), 200u);
  words.pop_back();
  Results results = one_kernel("transpose", 1);
  const RuleResult rule{"SOLBottleneck", "OPT", words, {}};
  results.kernels[0].blocks = {{"First", {{"a", "a", "", 1}}, "FirstId", {rule}}, {"Chart", {}, "ChartId", {rule}}};
  const std::string ours = text_of([&](std::ostream& out) { write_details(out, results, {}); });
  EXPECT_THAT(ours, HasSubstr("-\n\n" + wanted + "    Section: Chart\n" + wanted));
}

TEST(NcuPages, RulesOfASectionAreApartAsRecorded) {
  std::istringstream in(golden("rules.txt"));
  std::vector<RuleResult> rules;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const std::string type = line.substr(4, 3), text = line.substr(10, line.find_last_not_of(' ') - 9);
    if (type == "---") continue;
    if (type != "   ") rules.push_back({"any", type, "", {}});
    if (text.starts_with("Est. Speedup: "))
      rules.back().speedup = number(text.substr(14));
    else
      rules.back().text += (rules.back().text.empty() ? "" : " ") + text;
  }
  ASSERT_EQ(rules.size(), 2u);
  Results results = one_kernel("prog", 1);
  results.kernels[0].blocks = {{"Title", {}, "Id", rules}};
  EXPECT_THAT(text_of([&](std::ostream& out) { write_details(out, results, {}); }),
              HasSubstr("    Section: Title\n" + golden("rules.txt")));
}

TEST(NcuRules, AreListedInTheRecordedColumns) {
  std::istringstream ours(text_of(list_rules)), theirs(golden("list_rules.txt"));
  const auto columns = [](const std::string& dashes) {
    std::istringstream words(dashes);
    Cells all{std::istream_iterator<std::string>(words), {}};
    return all;
  };
  std::string a, b;
  ASSERT_TRUE(std::getline(ours, a) && std::getline(theirs, b));
  ASSERT_EQ(columns(a).size(), columns(b).size());
  EXPECT_EQ(columns(a)[2].size(), columns(b)[2].size()) << "the width of the descriptions";
  std::string head_a, head_b;
  ASSERT_TRUE(std::getline(ours, head_a) && std::getline(theirs, head_b));
  for (const char* title : {"Identifier", "Display Name", "Description", "Filename"}) {
    EXPECT_THAT(head_a, HasSubstr(title));
    EXPECT_THAT(head_b, HasSubstr(title));
  }
  std::string first;
  ASSERT_TRUE(std::getline(ours, first) && std::getline(ours, first));
  EXPECT_TRUE(first.starts_with("accidental_doubles ")) << "rules are sorted, and left-aligned: " << first;
  EXPECT_EQ(first.size(), a.size());
}

TEST(NcuRules, AreChosenByTheirNamesAndByThoseOfNsightCompute) {
  const auto chosen = [](const char* name, size_t notes_wanted = 0) {
    std::vector<std::string> notes;
    const Cells names = {name};
    Cells rules = select_rules(names, notes);
    EXPECT_EQ(notes.size(), notes_wanted) << name;
    const std::string list = text_of(list_rules);
    for (const std::string& rule : rules) EXPECT_THAT(list, HasSubstr("\n" + rule + " "));
    return rules;
  };
  EXPECT_EQ(chosen("limiter"), Cells{"limiter"});
  EXPECT_EQ(chosen("SOLBottleneck"), Cells{"limiter"});
  EXPECT_EQ(chosen("SharedMemoryConflicts"), Cells{"bank_conflicts"});
  for (const char* several : {"TheoreticalOccupancy", "LaunchConfiguration", "CPIStall", "UncoalescedGlobalAccess"})
    EXPECT_GT(chosen(several).size(), 1u) << several;
  EXPECT_TRUE(chosen("nosuch", 1).empty());
}

TEST(NcuCatalogue, LabelsAndNamesAreTheRecordedOnes) {
  std::map<std::string, Cells> theirs = lists_of("labels.txt");
  size_t compared = 0;
  for (const Section& s : all_sections()) {
    Cells ours;
    for (const Row& row : s.rows())
      ours.push_back(label_of({std::string(row.label), std::string(row.metric), "", {}}, MetricLabel::Both));
    if (theirs.contains(std::string(s.title))) EXPECT_EQ(ours, theirs[std::string(s.title)]) << s.title;
    compared += theirs.contains(std::string(s.title)) ? ours.size() : 0;
  }
  EXPECT_GT(compared, 80u);
}

TEST(NcuPages, RulesInCsvAreTheRecordedLines) {
  size_t compared = 0;
  for (const char* file : {"details.csv", "section.csv", "set_full.csv"})
    for (const std::string& line : csv_lines(file)) {
      const Cells cells = csv_cells(line);
      if (cells[0] != "0" || cells[15].empty() || cells[18] == "local") continue;  // we have no local speedups
      Results results = one_kernel("transpose", std::stoi(cells[1]));
      results.rules = true;
      RuleResult rule{cells[15], cells[16], cells[17], {}};
      if (!cells[19].empty()) rule.speedup = std::stod(cells[19]);
      results.kernels[0].blocks = {{"any title", {}, cells[11], {rule}}};
      const PageStyle style{{true, false}, true, MetricLabel::Label};
      EXPECT_EQ(text_of([&](std::ostream& out) { write_details(out, results, style); }),
                csv_lines(file)[0] + '\n' + line + '\n');
      ++compared;
    }
  EXPECT_GE(compared, 5u);
}

TEST(NcuRules, StandInTheirSectionsAndSayTheSavedTime) {
  const advice::RuleText text{"uncoalesced", advice::Item::Coalescing, {}, ""};
  advice::Advice each;
  each.rule = &text;
  each.finding.headline = "coalesce the loads";
  each.finding.observation = "32 sectors a request";
  each.gain = advice::Gain{2, 1, 1};
  advice::Verdict limiter;
  limiter.text = "memory is busy";
  limiter.saturated = true;
  const auto source = rule_results("SourceCounters", &limiter, {&each, 1});
  ASSERT_EQ(source.size(), 1u);
  EXPECT_EQ(source[0].name, "uncoalesced");
  EXPECT_EQ(source[0].type, "OPT");
  EXPECT_EQ(source[0].text, "Coalesce the loads. 32 sectors a request.");
  EXPECT_DOUBLE_EQ(source[0].speedup.value_or(0), 50);
  const auto light = rule_results("SpeedOfLight", &limiter, {&each, 1});
  ASSERT_EQ(light.size(), 1u);
  EXPECT_EQ(light[0].type, "INF");
  EXPECT_TRUE(rule_results("Occupancy", &limiter, {&each, 1}).empty());
  each.gain->factor = 1.001;
  EXPECT_EQ(rule_results("SourceCounters", nullptr, {&each, 1})[0].type, "INF") << "it gains nothing";
  // Every section that is named exists, and only advice on the whole run has none.
  for (unsigned i = 0; i < advice::kItems; ++i) {
    const auto item = static_cast<advice::Item>(i);
    const std::string_view id = section_of(item);
    const bool whole_run = item == advice::Item::Transfers || item == advice::Item::Launches;
    EXPECT_EQ(id.empty(), whole_run) << i;
    if (!whole_run) EXPECT_NE(std::ranges::find(all_sections(), id, &Section::id), all_sections().end()) << id;
  }
}

TEST(NcuPages, TheRawPageHasARowAResult) {
  const std::vector<std::string> lines = csv_lines("metrics_raw.csv");
  ASSERT_GE(lines.size(), 3u);
  const Cells head = csv_cells(lines[0]), units = csv_cells(lines[1]), row = csv_cells(lines[2]);
  Results results = one_kernel("transpose", std::stoi(row[1]));
  Block block;
  for (size_t c = 11; c < head.size(); ++c) block.values.push_back(value_of(head[c], units[c], row[c]));
  results.kernels[0].blocks.push_back(block);
  const PageStyle style{{true, false}, true, MetricLabel::Label};
  std::istringstream out(text_of([&](std::ostream& o) { write_raw(o, results, style); }));
  for (const size_t i : {0u, 1u, 2u}) {
    std::string line;
    ASSERT_TRUE(std::getline(out, line));
    Cells theirs = csv_cells(lines[i]);
    for (size_t c = 11; c < theirs.size(); ++c)  // a column that has no value in the recording is n/a here
      if (i == 2 && theirs[c].empty()) theirs[c] = "n/a";
    EXPECT_EQ(csv_cells(line), theirs) << i;
  }
}

TEST(NcuPages, TheSessionHasTheRecordedDevice) {
  const auto device = device::load_device("h200");
  ASSERT_TRUE(device);
  record::Profile profile;
  profile.program = "./prog " + std::string(200, 'x');
  const std::string ours =
      text_of([&](std::ostream& out) { write_session(out, one_kernel("prog", 1308), profile, *device); });
  const auto squeezed = [](const std::string& text) {
    std::istringstream words(text);
    std::string all;
    for (std::string word; words >> word;) all += word + ' ';
    return all;
  };
  std::string theirs = golden("session.txt");
  std::erase_if(theirs, [](char c) { return c == '-'; });
  const size_t unknown = theirs.find("confidential_computing_mode");
  theirs.erase(unknown, theirs.find('\n', unknown) - unknown);
  std::string without_rules = ours;
  std::erase_if(without_rules, [](char c) { return c == '-'; });
  EXPECT_THAT(squeezed(without_rules), HasSubstr(squeezed(theirs)));
  EXPECT_THAT(ours, HasSubstr("Program Command Line ./prog " + std::string(113, 'x') + "\n" + std::string(21, ' ')));
}

TEST(NcuPages, RawTextIsLaidOutAsRecorded) {
  std::istringstream in(golden("raw.txt"));
  std::string dashes;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  ---")) dashes = line;
  Results results = one_kernel("transpose", 1);
  // As wide as the recording's widest cells.
  const size_t name = dashes.find(' ', 2) - 2;
  Value value{"", std::string(name, 'm'), "register/thread", 16};
  results.kernels[0].blocks.push_back({"", {value}});
  const std::string ours = text_of([&](std::ostream& out) { write_raw(out, results, {}); });
  EXPECT_THAT(ours, HasSubstr("  Metric Name" + std::string(name - 11, ' ') + "     Metric Unit Metric Value\n  " +
                              std::string(name, '-') + " --------------- ------------\n"));
}

record::Extent extent_of(const std::string& text) {
  record::Extent e;
  std::sscanf(text.c_str(), "(%u, %u, %u)", &e.x, &e.y, &e.z);
  return e;
}

// Launches whose summaries are the recorded rows, the last kernel first.
Results summarized(const Cells& head, const std::vector<Cells>& rows) {
  const auto cell = [&](const Cells& row, const char* title) {
    return row[static_cast<size_t>(std::ranges::find(head, title) - head.begin())];
  };
  std::vector<std::vector<KernelResult>> kernels;
  Results results = one_kernel(rows[0][1], std::stoi(rows[0][0]));
  results.kernels.clear();
  for (const Cells& row : rows) {
    if (kernels.empty() || kernels.back()[0].kernel != cell(row, "Kernel Name")) {
      KernelResult kernel;
      kernel.kernel = cell(row, "Kernel Name");
      kernel.block = extent_of(cell(row, "Block Size")), kernel.grid = extent_of(cell(row, "Grid Size"));
      kernels.emplace_back(std::stoul(cell(row, "Invocations")), kernel);
    }
    auto& launches = kernels.back();
    Value value = value_of(cell(row, "Metric Name"), cell(row, "Metric Unit"), cell(row, "Minimum"));
    const double least = number(cell(row, "Minimum")), most = number(cell(row, "Maximum"));
    const double mean = number(cell(row, "Average")), n = static_cast<double>(launches.size());
    const double factor = least > 0 ? *value.number / least : 1;
    for (size_t i = 0; i < launches.size(); ++i) {
      auto& blocks = launches[i].blocks;
      if (blocks.empty() || blocks.back().title != cell(row, "Section Name"))
        blocks.push_back({cell(row, "Section Name"), {{"Text", "text", "", {}, "PolicySpread"}}});
      value.number = factor * (i == 0 ? least : i == 1 ? most : (n * mean - least - most) / (n - 2));
      blocks.back().values.push_back(value);
    }
  }
  for (auto kernel = kernels.rbegin(); kernel != kernels.rend(); ++kernel)
    results.kernels.insert(results.kernels.end(), kernel->begin(), kernel->end());
  return results;
}

TEST(NcuPages, SummariesInCsvAreTheRecordedLines) {
  for (const auto& [file, base, summary] :
       {std::tuple("summary.csv", false, Summary::PerKernel), std::tuple("summary_base.csv", true, Summary::PerKernel),
        std::tuple("summary_gpu.csv", false, Summary::PerGpu)}) {
    std::istringstream in(golden(file));
    std::string line;
    ASSERT_TRUE(std::getline(in, line)) << file;
    const Cells head = csv_cells(line);
    std::vector<Cells> rows;
    while (std::getline(in, line)) rows.push_back(csv_cells(line));
    ASSERT_GT(rows.size(), 40u) << file;
    const Results results = summarized(head, rows);
    EXPECT_EQ(results.kernels.size(), 5u);
    const PageStyle style{{base, false}, true, MetricLabel::Label, summary};
    EXPECT_EQ(text_of([&](std::ostream& out) { write_summary(out, results, style); }), golden(file)) << file;
  }
}

TEST(NcuPages, SummariesAreLaidOutAsRecorded) {
  for (const auto& [file, summary] :
       {std::pair("summary.txt", Summary::PerKernel), std::pair("summary_gpu.txt", Summary::PerGpu)}) {
    const std::string wanted = golden(file);
    const int pid = std::stoi(wanted.substr(1));
    const bool gpu = summary == Summary::PerGpu;
    const std::string id = std::to_string(pid);
    const Cells head = {"Process ID",   "Process Name", "Kernel Name", "Block Size", "Grid Size", "Invocations",
                        "Section Name", "Metric Name",  "Metric Unit", "Minimum",    "Maximum",   "Average"};
    const char *title = "Command line profiler metrics", *metric = "gpu__time_duration.sum";
    const std::string banks = gpu ? "8.99" : "7.78";
    const Results results =
        summarized(head, {{id, "prog", "banks(float *, const float *, int)", "(32, 32, 1)", "(64, 1, 1)", "1", title,
                           metric, "us", banks, banks, banks},
                          {id, "prog", "copy(float *, const float *, int)", "(256, 1, 1)", "(4096, 1, 1)", "2", title,
                           metric, "us", gpu ? "4.77" : "4.864", gpu ? "5.09" : "5.152", ""}});
    const PageStyle style{{}, false, MetricLabel::Label, summary};
    EXPECT_EQ(text_of([&](std::ostream& out) { write_summary(out, results, style); }), wanted) << file;
  }
}

TEST(NcuPages, ASummaryLeavesOutWhatALaunchHasNoNumberOf) {
  Results results = one_kernel("a", 1);
  results.kernels[0].blocks = {{"Occupancy", {{"Duration", "gpu__time_duration.sum", "ns", 1000}}}};
  results.kernels.push_back(results.kernels[0]);
  results.kernels[1].blocks[0].values[0].number = std::nullopt;
  EXPECT_EQ(text_of([&](std::ostream& out) { write_summary(out, results, {}); }).find("Occupancy"), std::string::npos);
}

TEST(NcuNumbers, UnitsScaleByThousands) {
  const auto shown = [](double value, const char* unit) {
    const Cell cell = written({"", "", unit, value}, {}, "n/a");
    return cell.text + " " + cell.unit;
  };
  EXPECT_EQ(shown(16780544, "byte"), "16.78 Mbyte");
  EXPECT_EQ(shown(1.111e12, "byte/s"), "1.11 Tbyte/s");
  EXPECT_EQ(shown(999, "byte"), "999 byte");
  EXPECT_EQ(shown(15648, "ns"), "15.65 us");
  EXPECT_EQ(shown(1.97e9, "hz"), "1.97 Ghz");
  EXPECT_EQ(shown(1024, "byte/block"), "1.02 Kbyte/block");
  EXPECT_EQ(shown(1234567, "inst"), "1,234,567 inst");
  EXPECT_EQ(shown(-1234.5, "inst"), "-1,234.50 inst");
  EXPECT_EQ(shown(0, "%"), "0 %");
  EXPECT_EQ(shown(3.35e10, "sector/s"), "33.50 sector/ns");
}

TEST(NcuCatalogue, EveryRowsUnitIsThatOfTheMetric) {
  for (const Section& section : all_sections())
    for (const Row& row : section.rows())
      if (const auto* m = metrics::find_metric(row.metric))
        EXPECT_EQ(unit_of({std::string(row.metric), m}), row.unit) << row.metric;
}

TEST(NcuCatalogue, UnitsAreTheRecordedOnes) {
  std::istringstream in(golden("units.csv"));
  std::string line;
  std::getline(in, line);
  size_t compared = 0;
  for (; std::getline(in, line); ++compared) {
    const Cells cells = csv_cells(line);
    const auto* metric = metrics::find_metric(cells[0]);
    ASSERT_TRUE(metric) << cells[0];
    EXPECT_EQ(unit_of({cells[0], metric}), cells[1]) << cells[0];
  }
  EXPECT_GT(compared, 250u);
}

TEST(NcuCatalogue, MetricsAreChosenByNameSuffixAndExpression) {
  std::vector<std::string> notes;
  const auto names = [&](const char* list, bool suffixes = true) {
    Cells all;
    const auto chosen = select_metrics(list, suffixes, notes);
    if (chosen)
      for (const Chosen& c : *chosen) all.push_back(c.name);
    return all;
  };
  EXPECT_EQ(names("dram__bytes"), (Cells{"dram__bytes.avg", "dram__bytes.max", "dram__bytes.min", "dram__bytes.sum"}));
  EXPECT_EQ(names("regex:^dram__bytes\\.sum"),
            (Cells{"dram__bytes.sum", "dram__bytes.sum.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_second"}));
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(names("nosuch__metric.sum"), Cells{"nosuch__metric.sum"});
  EXPECT_EQ(names("dram__bytes", false), Cells{"dram__bytes"});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[0], HasSubstr("there is no metric of that name"));
  EXPECT_FALSE(select_metrics("regex:(", true, notes));
  EXPECT_FALSE(select_metrics(",", true, notes));
  const std::vector<std::string> wrong = {"Occupency"};
  const auto sections = select_sections(wrong, {});
  ASSERT_FALSE(sections);
  EXPECT_THAT(sections.problem().to_string(), HasSubstr("Occupancy"));
}

TEST(NcuGroups, HaveTheRecordedMetricsAndUnits) {
  std::istringstream in(golden("groups.txt"));
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> theirs;
  std::string request;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (!line.starts_with(' ')) {
      request = line;
      continue;
    }
    std::pair<std::string, std::string> row;
    words >> row.first >> row.second;
    theirs[request].push_back(row);
  }
  ASSERT_GE(theirs.size(), 35u);
  size_t with_values = 0;
  for (const auto& [words, rows] : theirs) {
    std::vector<std::string> notes;
    const auto chosen = select_metrics(words, true, notes);
    ASSERT_TRUE(chosen) << words;
    EXPECT_TRUE(notes.empty()) << words;
    Cells ours, names;
    for (const Chosen& c : *chosen) ours.push_back(c.name);
    for (const auto& [name, unit] : rows) names.push_back(name);
    EXPECT_EQ(ours, names) << words;
    for (size_t i = 0; i < std::min(chosen->size(), rows.size()); ++i)
      if ((*chosen)[i].metric && (*chosen)[i].metric->has_values()) {
        EXPECT_EQ(unit_of((*chosen)[i]), rows[i].second) << rows[i].first;
        ++with_values;
      }
  }
  EXPECT_GT(with_values, 40u);
}

TEST(NcuGroups, UnknownOnesAreEmptyAndSaid) {
  for (const char* words :
       {"group:memory__shared_tabel", "breakdown:nosuch", "breakdown:sm__throughput", "breakdown:dram__bytes.sum"}) {
    std::vector<std::string> notes;
    const auto chosen = select_metrics(words, true, notes);
    ASSERT_TRUE(chosen) << words;
    EXPECT_TRUE(chosen->empty()) << words;
    ASSERT_EQ(notes.size(), 1u) << words;
    EXPECT_THAT(notes[0], HasSubstr("did you mean ")) << words;
  }
  std::vector<std::string> notes;
  (void)select_metrics("group:memory__shared_tabel", true, notes);
  EXPECT_THAT(notes[0], HasSubstr("group:memory__shared_table"));
  const auto both = select_metrics("group:memory__dram_table,launch__grid_size", true, notes);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->size(), 9u);
}

TEST(KernelFilter, NamesByBase) {
  EXPECT_EQ(function_name("void demo::add<3>(float*, float const*)"), "add");
  EXPECT_EQ(function_name("void (anonymous namespace)::k<int (*)(int), a::b>(int)"), "k");
  EXPECT_EQ(function_name("tile(float*)"), "tile");
  EXPECT_EQ(function_name("plain_c"), "plain_c");
  EXPECT_FALSE(NamePattern::parse("regex:(")) << "no closing parenthesis";
  EXPECT_TRUE(NamePattern::parse("add")->matches("add"));
  EXPECT_FALSE(NamePattern::parse("add")->matches("add2"));
  EXPECT_FALSE(NamePattern::parse("a.d")->matches("add"));
  EXPECT_TRUE(NamePattern::parse("regex:a.d")->matches("xadd2"));
}

TEST(KernelFilter, RangesAreOneInsideTheOther) {
  const auto in = [](const char* pattern, const char* open) { return RangePattern::parse(pattern)->matches(open); };
  EXPECT_TRUE(in("step", "epoch/step"));
  EXPECT_TRUE(in("epoch/step", "epoch/part/step"));
  EXPECT_FALSE(in("step/epoch", "epoch/step"));
  EXPECT_TRUE(in("step]", "epoch/step"));
  EXPECT_FALSE(in("epoch]", "epoch/step"));
  EXPECT_FALSE(in("[step", "epoch/step"));
  EXPECT_TRUE(in("Domain@epoch/", "epoch/step"));
  EXPECT_FALSE(in("step", ""));
  EXPECT_FALSE(RangePattern::parse("/"));
}

TEST(KernelFilter, AnEmptyNameIsAnError) {
  EXPECT_FALSE(NamePattern::parse(""));
  EXPECT_FALSE(NamePattern::parse("regex:"));
}

TEST(KernelFilter, IdentifiersNameContextStreamKernelAndInvocation) {
  const auto matches = [](const char* id, const char* name, unsigned stream, uint64_t invocation) {
    return KernelId::parse(id)->matches(name, stream, invocation);
  };
  EXPECT_TRUE(matches("::add:2", "add", 7, 2));
  EXPECT_FALSE(matches("::add:2", "add", 7, 1));
  EXPECT_FALSE(matches("::add:2", "add", 7, 22)) << "an invocation matches whole";
  EXPECT_FALSE(matches("::add:", "add_two", 7, 1));
  EXPECT_TRUE(matches("::regex:^add:", "add_two", 7, 1));
  EXPECT_TRUE(matches("::demo::add<3>(float*):1", "demo::add<3>(float*)", 7, 1)) << "a name has colons of its own";
  EXPECT_TRUE(matches("1:13::", "any", 13, 9));
  EXPECT_FALSE(matches("1:13::", "any", 7, 9));
  EXPECT_FALSE(matches("2:::", "any", 7, 1)) << "there is one context";
  EXPECT_TRUE(matches(":::.*5|3", "any", 7, 15));
  EXPECT_TRUE(matches(":::.*5|3", "any", 7, 3));
  EXPECT_FALSE(matches(":::.*5|3", "any", 7, 13));
  EXPECT_TRUE(matches(":::\\d5", "any", 7, 15));
  EXPECT_FALSE(matches(":work::", "any", 7, 1)) << "streams have no names";
  for (const char* wrong : {"", "nonsense", "::add", "::regex::1", "::regex:(:1", "a:b:c:d:e", ":::(", "(:::"})
    EXPECT_FALSE(KernelId::parse(wrong)) << wrong;
}

TEST(KernelFilter, InvocationsAreCountedForEachKernel) {
  KernelInfo a, b;
  a.name = "a", a.display_name = "a(int)", b.name = "b", b.display_name = "b(int)";
  LaunchFilter filter;
  filter.id = *KernelId::parse("::regex:.:2");
  LaunchSelector selector(filter);
  EXPECT_FALSE(selector.takes(a, 0, ""));
  EXPECT_FALSE(selector.takes(b, 0, ""));
  EXPECT_TRUE(selector.takes(b, 0, ""));
  EXPECT_TRUE(selector.takes(a, 0, ""));
  EXPECT_FALSE(selector.takes(a, 0, ""));
}

TEST(KernelFilter, ACountIsOfLaunchesInsideTheRange) {
  const KernelInfo kernel;
  LaunchFilter filter;
  filter.include.push_back(*RangePattern::parse("step"));
  filter.count = 1;
  LaunchSelector selector(filter);
  EXPECT_FALSE(selector.takes(kernel, 0, ""));
  EXPECT_TRUE(selector.takes(kernel, 0, "epoch/step"));
  EXPECT_FALSE(selector.takes(kernel, 0, "epoch/step"));
}

TEST(KernelFilter, SkipsBeforeAndAfterMatching) {
  record::Profile profile;
  for (const char* name : {"a(int)", "b(int)"}) {
    auto kernel = std::make_shared<KernelInfo>();
    kernel->display_name = name;
    profile.kernels.push_back(kernel);
  }
  for (const uint32_t kernel : {0u, 1u, 0u, 0u, 1u}) {
    record::LaunchRecord launch;
    launch.kernel = kernel, launch.counted = true;
    profile.launches.push_back(launch);
  }
  LaunchFilter filter;
  filter.name = *NamePattern::parse("a");
  EXPECT_EQ(choose_launches(profile, filter), (std::vector<size_t>{0, 2, 3}));
  filter.skip = 1, filter.count = 1;
  EXPECT_EQ(choose_launches(profile, filter), std::vector<size_t>{2});
  filter.skip = 0, filter.skip_before_match = 3;
  EXPECT_EQ(choose_launches(profile, filter), std::vector<size_t>{3});
  profile.launches[3].counted = false;
  EXPECT_TRUE(choose_launches(profile, filter).empty());
}

}  // namespace
}  // namespace drywarp::profilers::ncu
