#include "cli/commands/version.h"

#include <fmt/format.h>

#include "cli/command_line/build_info.h"
#include "cli/command_line/output.h"
#include "cli/command_line/version_document.h"

namespace proa::cli {
namespace version {

std::string text() {
  const BuildInfo& info = build_info();
  std::string commit(info.commit.substr(0, 12));
  if (info.tree_state == "dirty") commit += " (modified)";
  return fmt::format(
      "Proa {}, Kubernetes API {}\n"
      "commit    {}\n"
      "compiler  {}\n"
      "platform  {}\n",
      info.version, info.git_version, commit, info.compiler, info.platform);
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const std::string& output = invocation.settings.text("output");
  terminal.out(output == "text" ? text() : format_value(version_document().root(), output));
  return {};
}

}  // namespace version

Command version_command() {
  return {.name = "version",
          .summary = "Show the version of Proa and of the Kubernetes API.",
          .flags = {output_flag()},
          .run = version::run};
}

}  // namespace proa::cli
