#include "cli/server/flags/admission_configuration.h"

#include <filesystem>

#include "api/object/view.h"
#include "json/yaml.h"

namespace proa::cli {
namespace admission_configuration {

constexpr size_t kMaxBytes = 1 << 20;  // of a file
constexpr std::string_view kGroup = "apiserver.config.k8s.io/";

Status wrong(const std::string& path, const std::string& why) {
  return {Reason::kInvalid, "--admission-control-config-file: " + path + ": " + why};
}

Result<json::Document> read(const std::string& path, Files& files) {
  const Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text) return text.status().in("--admission-control-config-file");
  Result<json::Document> document = json::parse_yaml(*text);
  if (!document) return wrong(path, document.status().message());
  return document;
}

// Given inline, or in another file whose path is relative to the first.
Result<json::Document> read_plugin(const std::string& path, api::View plugin, Files& files) {
  const std::string_view place = plugin["path"].text();
  const api::View inline_value = plugin["configuration"];
  if (place.empty()) {
    json::Document document;
    if (inline_value) document.root() = inline_value.value()->copy(document.arena());
    return document;
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return read((folder / place).string(), files);
}

}  // namespace admission_configuration

Result<PluginConfigurations> read_admission_configuration(const std::string& path, Files& files) {
  using namespace admission_configuration;
  const json::Document document = TRY(read(path, files));
  const api::View root = document.root();
  if (root["kind"].text() != "AdmissionConfiguration" ||
      !root["apiVersion"].text().starts_with(kGroup)) {
    return wrong(path, "not an AdmissionConfiguration of apiserver.config.k8s.io");
  }
  PluginConfigurations plugins;
  for (const api::View plugin : root["plugins"].items()) {
    const std::string name(plugin["name"].text());
    if (name.empty()) return wrong(path, "a plugin has no name");
    if (plugins.contains(name)) return wrong(path, name + " is listed twice");
    json::Document configuration = TRY(read_plugin(path, plugin, files));
    plugins.emplace(name, std::make_shared<const json::Document>(std::move(configuration)));
  }
  return plugins;
}

}  // namespace proa::cli
