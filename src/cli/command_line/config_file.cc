#include "cli/command_line/config_file.h"

#include <map>
#include <optional>
#include <vector>

#include "cli/command_line/suggest.h"
#include "json/print.h"
#include "json/value.h"
#include "json/yaml.h"

namespace proa::cli {
namespace config_file {

// Settings fit on a page or two; a larger file is a mistake.
constexpr size_t kMaxFile = 1 << 20;

Status wrong(const std::string& source, std::string_view what) {
  return {Reason::kBadRequest, source + ": " + std::string(what)};
}

// The path of the configuration file cannot be set in the file.
void collect_flags(const Command& command, std::map<std::string_view, const Flag*>& flags) {
  for (const Flag& flag : command.flags) {
    if (flag.name != "config") flags.emplace(flag.name, &flag);
  }
  for (const Command& inner : command.commands) collect_flags(inner, flags);
}

// The command line form of a value; nullopt if there is none.
std::optional<std::string> scalar_text(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kString:
      return std::string(value.as_string());
    case json::Kind::kBool:
    case json::Kind::kInt:
    case json::Kind::kDouble:
      return json::print(value);
    default:
      return std::nullopt;
  }
}

// A list of scalars becomes its items separated by commas.
std::optional<std::string> setting_text(const Flag& flag, const json::Value& value) {
  if (!value.is(json::Kind::kArray)) return scalar_text(value);
  if (!flag.is_list()) return std::nullopt;
  std::string text;
  for (const json::Value& item : value.items()) {
    const auto part = scalar_text(item);
    if (!part) return std::nullopt;
    if (!text.empty()) text += ",";
    text += *part;
  }
  return text;
}

bool is_settings_file(std::string_view name) {
  return !name.starts_with('.') &&
         (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"));
}

Result<void> read_into(Files& files, const std::string& path, const Command& root,
                       GivenValues& values) {
  const std::string content = TRY(files.read_file(path, kMaxFile));
  GivenValues more = TRY(parse_config(content, path, root));
  for (auto& [name, value] : more) values.insert_or_assign(name, std::move(value));
  return {};
}

}  // namespace config_file

Result<GivenValues> parse_config(std::string_view content, const std::string& source,
                                 const Command& root) {
  const auto document = json::parse_yaml(content);
  if (!document.ok()) return document.status().in(source);
  const json::Value& settings = document->root();
  GivenValues values;
  if (settings.is_null()) return values;  // empty, or only comments
  if (!settings.is(json::Kind::kObject))
    return config_file::wrong(source, "expected lines of the form 'flag: value'");

  std::map<std::string_view, const Flag*> known;
  config_file::collect_flags(root, known);
  for (const json::Member& member : settings.members()) {
    const std::string key(member.key);
    const auto flag = known.find(key);
    if (flag == known.end()) {
      std::vector<std::string_view> all;
      for (const auto& [name, one] : known) all.push_back(name);
      return config_file::wrong(source, "unknown setting '" + key + "'" + suggestion(key, all));
    }
    auto text = config_file::setting_text(*flag->second, member.value);
    if (!text) {
      return config_file::wrong(
          source, key + " must be a string, a number, true or false" +
                      (flag->second->is_list() ? ", or a list of these" : "; it takes one value"));
    }
    values[key] = {std::move(*text), source + ": " + key};
  }
  return values;
}

Result<GivenValues> read_config(Files& files, const std::string& path, bool required,
                                const Command& root) {
  GivenValues values;
  const Result<void> main_file = config_file::read_into(files, path, root, values);
  if (!main_file.ok() && (required || !main_file.is(Reason::kNotFound))) {
    return main_file.status().in("configuration");
  }
  const auto names = files.list(path + ".d");
  if (names.is(Reason::kNotFound)) return values;
  if (!names.ok()) return names.status().in("configuration");
  for (const std::string& name : *names) {
    if (!config_file::is_settings_file(name)) continue;
    const Result<void> read = config_file::read_into(files, path + ".d/" + name, root, values);
    if (!read.ok()) return read.status().in("configuration");
  }
  return values;
}

}  // namespace proa::cli
