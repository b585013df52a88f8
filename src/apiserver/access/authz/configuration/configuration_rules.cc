#include "apiserver/access/authz/configuration/configuration_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/validation/names.h"
#include "base/strings.h"
#include "base/time.h"
#include "cel/access/review.h"
#include "kinds/checks/expressions.h"

namespace proa::apiserver {
namespace authorization_rules {

using api::FieldErrors;
using api::Path;
using api::View;
using Seen = std::set<std::string, std::less<>>;

constexpr size_t kMaxConditions = 64;
constexpr Duration kLongestTimeout = std::chrono::seconds(30);
constexpr std::string_view kWebhook = "Webhook";

Duration duration_of(View written) {
  const Result<Duration> read = parse_duration(written.text());
  return read.ok() ? *read : Duration(0);
}

void validate_durations(View webhook, const Path& path, FieldErrors& errors) {
  const Duration timeout = duration_of(webhook["timeout"]);
  if (timeout == Duration(0)) {
    errors.required(path.field("timeout"));
  } else if (timeout > kLongestTimeout || timeout < Duration(0)) {
    errors.invalid(path.field("timeout"), format_duration(timeout), "must be > 0s and <= 30s");
  }
  for (const std::string_view name : {"authorizedTTL", "unauthorizedTTL"}) {
    const Duration keep = duration_of(webhook[name]);
    if (keep == Duration(0)) {
      errors.required(path.field(name));
    } else if (keep < Duration(0)) {
      errors.invalid(path.field(name), format_duration(keep), "must be > 0s");
    }
  }
}

// A text that is one of some.
void validate_choice(View written, const std::vector<std::string_view>& choices, const Path& path,
                     FieldErrors& errors) {
  const std::string_view text = written.text();
  if (text.empty()) return errors.required(path);
  if (std::ranges::find(choices, text) == choices.end()) {
    errors.not_supported(path, text, std::span<const std::string_view>(choices));
  }
}

void validate_connection(View connection, Files& files, const Path& path, FieldErrors& errors) {
  const std::string_view type = connection["type"].text();
  const Path file_path = path.field("kubeConfigFile");
  const std::string file(connection["kubeConfigFile"].text());
  if (type.empty()) {
    errors.required(path.field("type"));
  } else if (type == "InClusterConfig") {
    if (connection["kubeConfigFile"]) {
      errors.invalid(file_path, file, "can only be set when type=KubeConfigFile");
    }
  } else if (type != "KubeConfigFile") {
    errors.not_supported(path.field("type"), type, {"InClusterConfig", "KubeConfigFile"});
  } else if (file.empty()) {
    errors.required(file_path);
  } else if (!file.starts_with('/')) {
    errors.invalid(file_path, file, "must be an absolute path");
  } else if (const Result<bool> exists = files.exists(file); !exists || !*exists) {
    errors.invalid(file_path, file,
                   "error loading file: stat " + file + ": no such file or directory");
  }
}

void validate_conditions(View conditions, const Path& path, FieldErrors& errors) {
  if (conditions.size() > kMaxConditions) {
    return errors.too_many(path, conditions.size(), kMaxConditions);
  }
  Seen seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Path item = path.index(i);
    const Path at = item.field("expression");
    const std::string_view expression = conditions.item(i)["expression"].text();
    if (trim(expression).empty()) {
      errors.required(at);
    } else if (!seen.emplace(expression).second) {
      errors.duplicate(at, expression);
    } else {
      kinds::report_expression(cel::compile_review_condition(expression), expression, at, errors);
    }
  }
}

void validate_webhook(View webhook, Files& files, const Path& path, FieldErrors& errors) {
  validate_durations(webhook, path, errors);
  validate_choice(webhook["subjectAccessReviewVersion"], {"v1", "v1beta1"},
                  path.field("subjectAccessReviewVersion"), errors);
  const Path version_path = path.field("matchConditionSubjectAccessReviewVersion");
  const View version = webhook["matchConditionSubjectAccessReviewVersion"];
  if (!version.text().empty()) {
    validate_choice(version, {"v1"}, version_path, errors);
  } else if (!webhook["matchConditions"].empty()) {
    errors.required(version_path, "required if match conditions are specified");
  }
  validate_choice(webhook["failurePolicy"], {"NoOpinion", "Deny"}, path.field("failurePolicy"),
                  errors);
  validate_connection(webhook["connectionInfo"], files, path.field("connectionInfo"), errors);
  validate_conditions(webhook["matchConditions"], path.field("matchConditions"), errors);
}

void validate_name(std::string_view name, Seen& seen, const Path& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.required(path);
  } else if (seen.contains(name)) {
    errors.duplicate(path, name);
  } else if (const auto problems = api::check_dns1123_subdomain(name); !problems.empty()) {
    const std::vector<std::string> texts(problems.begin(), problems.end());
    errors.invalid(path, name, "authorizer name is invalid: " + join(texts, ", "));
  }
  seen.emplace(name);
}

}  // namespace authorization_rules

void validate_authorization_configuration(api::View configuration,
                                          std::span<const std::string_view> types, Files& files,
                                          api::FieldErrors& errors) {
  using namespace authorization_rules;
  const Path root("authorizers");
  const View authorizers = configuration["authorizers"];
  if (authorizers.empty()) {
    errors.required(root, "at least one authorization mode must be defined");
  }
  Seen seen_types;
  Seen names;
  for (size_t i = 0; i < authorizers.size(); ++i) {
    const Path path = root.index(i);
    const Path type_path = path.field("type");
    const View authorizer = authorizers.item(i);
    const std::string_view type = authorizer["type"].text();
    if (type.empty()) {
      errors.required(type_path);
    } else if (std::ranges::find(types, type) == types.end()) {
      errors.not_supported(type_path, type, types);
    } else if (!seen_types.emplace(type).second && type != kWebhook) {
      errors.duplicate(type_path, type);
    } else {
      validate_name(authorizer["name"].text(), names, path.field("name"), errors);
      const View webhook = authorizer["webhook"];
      if (type == kWebhook && !webhook) {
        errors.required(path.field("webhook"), "required when type=Webhook");
      } else if (type == kWebhook) {
        // As upstream, the paths of its fields leave `webhook` out.
        validate_webhook(webhook, files, path, errors);
      } else if (webhook) {
        errors.invalid(path.field("webhook"), "non-null",
                       "may only be specified when type=Webhook");
      }
    }
  }
}

}  // namespace proa::apiserver
