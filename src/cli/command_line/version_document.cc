#include "cli/command_line/version_document.h"

#include "base/strings.h"
#include "cli/command_line/build_info.h"

namespace proa::cli {

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
  // What `--emulated-version` and `--min-compatibility-version` are upstream, without these flags.
  set("emulationMajor", parts[0]);
  set("emulationMinor", parts[1]);
  set("minCompatibilityMajor", parts[0]);
  set("minCompatibilityMinor", std::to_string(parse_int(parts[1]).value_or(1) - 1));
  set("gitVersion", info.git_version);
  set("gitCommit", info.commit);
  set("gitTreeState", info.tree_state);
  set("buildDate", info.commit_date);
  // Clients expect the field.
  set("goVersion", "none");
  set("compiler", info.compiler);
  set("platform", info.platform);
  return document;
}

}  // namespace proa::cli
