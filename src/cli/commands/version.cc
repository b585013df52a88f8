#include "cli/commands/version.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/build_info.h"
#include "cli/output.h"

namespace proa::cli {
namespace version {

std::string text() {
  const BuildInfo& info = build_info();
  std::string commit(info.commit.substr(0, 12));
  if (info.tree_state == "dirty") commit += " with changes";
  return fmt::format(
      "Proa {}, the Kubernetes API {}\n"
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

json::Document version_document() {
  const BuildInfo& info = build_info();
  const auto parts = split(info.kubernetes, '.');
  json::Document document;
  json::Value& root = document.root() = json::Value::object();
  const auto set = [&](std::string_view key, std::string_view value) {
    root.set(document.arena(), key, json::Value::string(document.arena(), value));
  };
  set("major", parts[0]);
  set("minor", parts[1]);
  set("gitVersion", info.git_version);
  set("gitCommit", info.commit);
  set("gitTreeState", info.tree_state);
  set("buildDate", info.commit_date);
  // Clients expect the field; there is no Go here.
  set("goVersion", "none");
  set("compiler", info.compiler);
  set("platform", info.platform);
  return document;
}

Command version_command() {
  return {.name = "version",
          .summary = "Say which version this is, of Proa and of the Kubernetes API.",
          .flags = {output_flag()},
          .run = version::run};
}

}  // namespace proa::cli
