// `drywarp documentation FOLDER`: writes manual pages and shell completion in the layout of a prefix's share/. The
// build runs it.
#include <fmt/format.h>

#include <filesystem>

#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {
namespace {

int write_documentation(const Words& words) {
  if (words.size() != 1) return fail(error("which folder?", "drywarp documentation FOLDER"), kFailed);
  const std::vector<CommandPage> pages = all_pages();
  std::vector<std::pair<std::string, std::string>> files = {
      {"man/man1/drywarp.1", manual_overview(pages)},
      {"bash-completion/completions/drywarp", bash_completion(pages)},
      {"zsh/vendor-completions/_drywarp", zsh_completion(pages)},
      {"fish/vendor_completions.d/drywarp.fish", fish_completion(pages)}};
  files.emplace_back("man/man1/drywarp-explain.1", manual_page(explain_page()));
  for (const CommandPage& page : pages)
    files.emplace_back(fmt::format("man/man1/drywarp-{}.1", page.dashed()), manual_page(page));
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = std::filesystem::path(words[0]) / name;
    std::error_code code;
    std::filesystem::create_directories(path.parent_path(), code);
    if (const Status written = compile::write_file(path.string(), text); !written)
      return fail(written.problem(), kFailed);
  }
  return kSuccess;
}

}  // namespace

Command documentation_command() { return {nullptr, write_documentation}; }

}  // namespace drywarp::cli
