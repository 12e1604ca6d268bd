#include "profile/compare/match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/support/near_names.h"

namespace drywarp::compare {
namespace {

// The first of `stops` outside of <> and (), so that "f<(int)4>(int)" ends where its parameters begin.
size_t find_outside(const std::string& text, char stop) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, kAnonymous.size(), kAnonymous) == 0) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (depth == 0 && text[i] == stop) return i;
    depth += text[i] == '<' || text[i] == '(';
    depth -= (text[i] == '>' || text[i] == ')') && depth > 0;
  }
  return std::string::npos;
}

std::string same(const std::string& name) { return name; }

// Pairs what is left on both sides and equal under `key`, in order.
template <class Key>
void pair_equal(std::span<const std::string> first, std::span<const std::string> second, Match match, Key key,
                std::vector<bool>& first_done, std::vector<bool>& second_done, std::vector<Pair>& pairs) {
  for (size_t i = 0; i < first.size(); ++i) {
    for (size_t k = 0; k < second.size() && !first_done[i]; ++k) {
      if (second_done[k] || key(first[i]) != key(second[k])) continue;
      first_done[i] = second_done[k] = true;
      pairs.push_back({i, k, match});
    }
  }
}

bool names_kernel(const std::string& wanted, const std::string& display_name) {
  return wanted == display_name || wanted == without_parameters(display_name) ||
         wanted == without_template_arguments(display_name);
}

Result<size_t> find_kernel(const std::string& wanted, std::span<const std::string> names, const std::vector<bool>& done,
                           const char* which) {
  for (size_t i = 0; i < names.size(); ++i)
    if (!done[i] && names_kernel(wanted, names[i])) return i;
  std::vector<std::string> shorts;
  for (const std::string& name : names) shorts.push_back(without_parameters(name));
  return error(fmt::format("--match: the {} profile has no kernel '{}'", which, wanted),
               names.empty() ? "it has no kernel at all"
                             : fmt::format("it has {}", fmt::join(nearest_first(wanted, std::move(shorts)), ", ")));
}

}  // namespace

const char* name(Match match) {
  constexpr std::array<const char*, 5> kNames = {"--match", "same name", "other parameters", "other template arguments",
                                                 "the only one left"};
  return kNames[static_cast<size_t>(match)];
}

std::string without_parameters(const std::string& display_name) {
  const std::string name = display_name.starts_with("void ") ? display_name.substr(5) : display_name;
  return name.substr(0, find_outside(name, '('));
}

std::string without_template_arguments(const std::string& display_name) {
  const std::string name = without_parameters(display_name);
  return name.substr(0, find_outside(name, '<'));
}

Result<Renaming> parse_renaming(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return error(fmt::format("--match {}: not a pair of kernels", text), "write --match old=new");
  return Renaming{text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::vector<Pair>> match_kernels(std::span<const std::string> first, std::span<const std::string> second,
                                        std::span<const Renaming> renamings) {
  std::vector<Pair> pairs;
  std::vector<bool> first_done(first.size()), second_done(second.size());
  for (const Renaming& renaming : renamings) {
    const auto from = find_kernel(renaming.from, first, first_done, "first");
    if (!from) return from.problem();
    const auto to = find_kernel(renaming.to, second, second_done, "other");
    if (!to) return to.problem();
    first_done[*from] = second_done[*to] = true;
    pairs.push_back({*from, *to, Match::Given});
  }
  pair_equal(first, second, Match::SameName, same, first_done, second_done, pairs);
  pair_equal(first, second, Match::OtherParameters, without_parameters, first_done, second_done, pairs);
  pair_equal(first, second, Match::OtherTemplateArguments, without_template_arguments, first_done, second_done, pairs);
  if (std::ranges::count(first_done, false) == 1 && std::ranges::count(second_done, false) == 1)
    pairs.push_back({static_cast<size_t>(std::ranges::find(first_done, false) - first_done.begin()),
                     static_cast<size_t>(std::ranges::find(second_done, false) - second_done.begin()),
                     Match::OnlyOneLeft});
  std::ranges::sort(pairs, {}, &Pair::first);
  return pairs;
}

}  // namespace drywarp::compare
