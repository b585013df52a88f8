#include "apiserver/front/audit/events/policy_file.h"

#include <algorithm>

#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace proa::apiserver::audit {
namespace policy_file {

using api::FieldErrors;
using api::Path;
using api::View;

constexpr std::string_view kVersion = "audit.k8s.io/v1";
constexpr std::string_view kAllowedStages =
    "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic";

Status wrong(std::string message) { return {Reason::kInvalid, std::move(message)}; }

// Reads a document whose values must have the right types: a list of users that is not a list must
// not read as "everybody".
class Reader {
 public:
  explicit Reader(std::vector<std::string>& ignored) : ignored_(ignored) {}

  void ignore_others(View object, const std::string& where,
                     std::initializer_list<std::string_view> known) {
    for (const json::Member& member : object.members()) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      ignored_.push_back("unknown field \"" + where + std::string(member.key) + "\"");
    }
  }

  bool expect(View value, json::Kind kind, const std::string& where, std::string_view what) {
    if (!value.exists()) return false;
    if (value.is(kind)) return true;
    if (!failure_) failure_ = wrong("failed decoding: " + where + " must be " + std::string(what));
    return false;
  }

  std::string text(View value, const std::string& where) {
    return expect(value, json::Kind::kString, where, "a string") ? std::string(value.text())
                                                                 : std::string();
  }

  std::vector<std::string> texts(View list, const std::string& where) {
    std::vector<std::string> found;
    if (!expect(list, json::Kind::kArray, where, "a list")) return found;
    for (const View item : list.items()) {
      if (!item.exists()) {
        found.emplace_back();  // as Go reads null
      } else if (expect(item, json::Kind::kString, where, "a list of strings")) {
        found.emplace_back(item.text());
      }
    }
    return found;
  }

  std::optional<bool> flag(View value, const std::string& where) {
    if (!expect(value, json::Kind::kBool, where, "a boolean")) return std::nullopt;
    return value.flag();
  }

  Result<void> result() const {
    if (failure_) return *failure_;
    return {};
  }

 private:
  std::vector<std::string>& ignored_;
  std::optional<Status> failure_;
};

StageSet read_stages(const std::vector<std::string>& names, const Path& path, FieldErrors& errors) {
  StageSet stages;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const std::optional<Stage> stage = stage_from(names[i])) {
      stages.add(*stage);
    } else {
      errors.invalid(path.index(i), std::string_view(names[i]), kAllowedStages);
    }
  }
  return stages;
}

Level read_level(const std::string& name, const Path& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.required(path);
    return Level::kNone;
  }
  const std::optional<Level> level = level_from(name);
  if (!level) {
    errors.not_supported(path, std::string_view(name),
                         {"None", "Metadata", "Request", "RequestResponse"});
  }
  return level.value_or(Level::kNone);
}

void check_paths(const std::vector<std::string>& paths, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string_view url = paths[i];
    if (url == "*") continue;
    if (!url.starts_with('/')) {
      errors.invalid(path.index(i), url, "non-resource URL rules must begin with a '/' character");
    }
    if (!url.empty() && url.substr(0, url.size() - 1).find('*') != std::string_view::npos) {
      errors.invalid(path.index(i), url,
                     "non-resource URL wildcards '*' must be the final character of the rule");
    }
  }
}

void check_resources(const GroupResources& stated, View resource_names, const Path& path,
                     FieldErrors& errors) {
  if (!stated.group.empty() && stated.group != "*") {
    const api::Problems problems = api::check_dns1123_subdomain(stated.group);
    if (!problems.empty()) {
      errors.invalid(path.field("group"), std::string_view(stated.group), join(problems, ","));
    }
  }
  if (!stated.names.empty() && stated.resources.empty()) {
    errors.invalid(path.field("resourceNames"), resource_names,
                   "using resourceNames requires at least one resource");
  }
}

std::vector<GroupResources> read_resources(View list, const std::string& where, Reader& reader,
                                           const Path& path, FieldErrors& errors) {
  std::vector<GroupResources> found;
  if (!reader.expect(list, json::Kind::kArray, where, "a list")) return found;
  for (const View target : list.items()) {
    // An empty one is of the core group, as Go reads null.
    if (target.exists() && !reader.expect(target, json::Kind::kObject, where, "a list of objects"))
      continue;
    reader.ignore_others(target, where + ".", {"group", "resources", "resourceNames"});
    GroupResources stated{.group = reader.text(target["group"], where + ".group"),
                          .resources = reader.texts(target["resources"], where + ".resources"),
                          .names = reader.texts(target["resourceNames"], where + ".resourceNames")};
    check_resources(stated, target["resourceNames"], path, errors);
    found.push_back(std::move(stated));
  }
  return found;
}

Rule read_rule(View rule, size_t index, Reader& reader, FieldErrors& errors) {
  const std::string where = "rules[" + std::to_string(index) + "]";
  const Path rules("rules");
  const Path path = rules.index(index);
  reader.ignore_others(rule, where + ".",
                       {"level", "users", "userGroups", "verbs", "resources", "namespaces",
                        "nonResourceURLs", "omitStages", "omitManagedFields"});
  Rule read;
  read.level =
      read_level(reader.text(rule["level"], where + ".level"), path.field("level"), errors);
  read.users = reader.texts(rule["users"], where + ".users");
  read.groups = reader.texts(rule["userGroups"], where + ".userGroups");
  read.verbs = reader.texts(rule["verbs"], where + ".verbs");
  read.paths = reader.texts(rule["nonResourceURLs"], where + ".nonResourceURLs");
  check_paths(read.paths, path.field("nonResourceURLs"), errors);
  read.resources = read_resources(rule["resources"], where + ".resources", reader,
                                  path.field("resources"), errors);
  read.omitted = read_stages(reader.texts(rule["omitStages"], where + ".omitStages"),
                             path.field("omitStages"), errors);
  read.namespaces = reader.texts(rule["namespaces"], where + ".namespaces");
  read.omits_managed_fields = reader.flag(rule["omitManagedFields"], where + ".omitManagedFields");
  if (!read.paths.empty() && (!read.resources.empty() || !read.namespaces.empty())) {
    errors.invalid(path.field("nonResourceURLs"), rule["nonResourceURLs"],
                   "rules cannot apply to both regular resources and non-resource URLs");
  }
  return read;
}

Result<void> check_kind(View document) {
  if (document["apiVersion"].text() == kVersion && document["kind"].text() == "Policy") return {};
  const std::string expected = "expected a Policy of " + std::string(kVersion);
  if (!document || document.is(json::Kind::kNull))
    return wrong("failed decoding: " + expected + ", but the file is empty");
  const std::string_view kind = document["kind"].text();
  const std::string_view version = document["apiVersion"].text();
  if (kind.empty() || version.empty()) {
    return wrong("failed decoding: " + expected + ", but the file has no " +
                 (kind.empty() ? "kind" : "apiVersion"));
  }
  return wrong("failed decoding: " + expected + ", got " + std::string(kind) + " of " +
               std::string(version));
}

}  // namespace policy_file

Result<Policy> read_policy(std::string_view text, std::vector<std::string>& ignored) {
  using namespace policy_file;  // NOLINT: of this file only
  Result<json::Document> document = json::parse_yaml(text, {.duplicates = &ignored});
  if (!document) return wrong("failed decoding: " + document.status().message());
  const View root = document->root();
  TRY(check_kind(root));
  Reader reader(ignored);
  FieldErrors errors;
  reader.ignore_others(
      root, "", {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"});
  const StageSet omitted =
      read_stages(reader.texts(root["omitStages"], "omitStages"), api::Path("omitStages"), errors);
  const bool omits = reader.flag(root["omitManagedFields"], "omitManagedFields").value_or(false);
  std::vector<Rule> rules;
  if (reader.expect(root["rules"], json::Kind::kArray, "rules", "a list")) {
    for (size_t i = 0; i < root["rules"].size(); ++i) {
      const View rule = root["rules"].item(i);
      if (!rule.exists() || reader.expect(rule, json::Kind::kObject, "rules", "a list of objects"))
        rules.push_back(read_rule(rule, i, reader, errors));
    }
  }
  TRY(reader.result());
  if (!errors.empty()) return wrong(api::aggregate_text(errors.texts()));
  if (rules.empty()) return wrong("loaded illegal policy with 0 rules");
  return Policy(rules, omitted, omits);
}

}  // namespace proa::apiserver::audit
