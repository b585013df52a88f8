#include "apiserver/access/admission/pod_security/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::apiserver::pod_security {
namespace configuration {

using api::FieldErrors;
using api::Path;
using api::View;

constexpr std::string_view kGroup = "pod-security.admission.config.k8s.io/";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
}

Status refused(std::string_view what, const std::vector<std::string>& problems) {
  const std::string all = join(problems, ", ");
  return {Reason::kInvalid, "PodSecurity " + std::string(what) + ": " +
                                (problems.size() == 1 ? all : "[" + all + "]")};
}

Result<void> check_kind(View document) {
  const std::string_view version = document["apiVersion"].text();
  const bool ours =
      version.starts_with(kGroup) &&
      (version.ends_with("/v1") || version.ends_with("/v1beta1") || version.ends_with("/v1alpha1"));
  if (ours && document["kind"].text() == "PodSecurityConfiguration") return {};
  return Status(Reason::kInvalid,
                "PodSecurity configuration error: expected a "
                "PodSecurityConfiguration of " +
                    std::string(kGroup) + "v1, got " +
                    std::string(document["kind"].text("nothing")) + " of " +
                    std::string(version.empty() ? "nothing" : version));
}

void refuse_unknown(View object, std::string_view path, std::initializer_list<const char*> known,
                    std::vector<std::string>& problems) {
  for (const json::Member& member : object.members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    problems.push_back("unknown field \"" + std::string(path) + std::string(member.key) + "\"");
  }
}

Result<void> refuse_unknown_fields(View document) {
  std::vector<std::string> problems;
  refuse_unknown(document, "", {"apiVersion", "kind", "defaults", "exemptions"}, problems);
  refuse_unknown(document["defaults"], "defaults.",
                 {"enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"},
                 problems);
  refuse_unknown(document["exemptions"], "exemptions.",
                 {"usernames", "namespaces", "runtimeClasses"}, problems);
  if (!problems.empty()) return refused("configuration error: strict decoding error", problems);
  return {};
}

std::string invalid(std::string_view field, std::string_view value, std::string_view problem) {
  return fmt::format("{}: Invalid value: {}: {}", field, api::quoted(value), problem);
}

void read_standard(View defaults, const std::string& mode, Standard& standard,
                   std::vector<std::string>& problems) {
  const std::string version_field = mode + "-version";
  if (const std::string_view text = defaults[mode].text(); !text.empty()) {
    const std::optional<Level> level = parse_level(text);
    if (!level) problems.push_back(invalid(mode, text, kLevelProblem));
    standard.level = level.value_or(Level::kRestricted);
  }
  if (const std::string_view text = defaults[version_field].text(); !text.empty()) {
    const std::optional<Version> version = parse_version(text);
    if (!version) problems.push_back(invalid(version_field, text, kVersionProblem));
    standard.version = version.value_or(Version{});
  }
}

using Problems = std::function<api::Problems(std::string_view name)>;

std::vector<std::string> read_names(View list, const Path& path, const Problems& check,
                                    FieldErrors& errors) {
  std::vector<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string name(list.item(i).text());
    const Path item = path.index(i);
    if (const api::Problems problems = check(name); !problems.empty()) {
      errors.invalid(item, name, join(problems, ", "));
    } else if (contains(names, name)) {
      errors.duplicate(item, name);
    } else {
      names.push_back(name);
    }
  }
  return names;
}

api::Problems check_user(std::string_view name) {
  if (!name.empty()) return {};
  return {"username must not be empty"};
}

}  // namespace configuration

bool Exemptions::has_user(std::string_view name) const {
  return configuration::contains(users, name);
}

bool Exemptions::has_namespace(std::string_view name) const {
  return configuration::contains(namespaces, name);
}

bool Exemptions::has_runtime_class(api::View pod_spec) const {
  return configuration::contains(runtime_classes, pod_spec["runtimeClassName"].text());
}

Result<Configuration> read_configuration(api::View document) {
  Configuration read;
  if (!document) return read;
  TRY(configuration::check_kind(document));
  TRY(configuration::refuse_unknown_fields(document));
  std::vector<std::string> problems;
  const api::View defaults = document["defaults"];
  configuration::read_standard(defaults, "enforce", read.defaults.enforce, problems);
  configuration::read_standard(defaults, "audit", read.defaults.audit, problems);
  configuration::read_standard(defaults, "warn", read.defaults.warn, problems);
  if (!problems.empty()) return configuration::refused("configuration error", problems);

  api::FieldErrors errors;
  const api::View exemptions = document["exemptions"];
  read.exemptions.namespaces =
      configuration::read_names(exemptions["namespaces"], api::Path("exemptions.namespaces"),
                                api::check_dns1123_label, errors);
  read.exemptions.runtime_classes = configuration::read_names(
      exemptions["runtimeClasses"], api::Path("exemptions.runtimeClasses"),
      api::check_dns1123_subdomain, errors);
  read.exemptions.users =
      configuration::read_names(exemptions["usernames"], api::Path("exemptions.usernames"),
                                configuration::check_user, errors);
  if (!errors.empty()) return configuration::refused("invalid", errors.texts());
  return read;
}

}  // namespace proa::apiserver::pod_security
