#include "apiserver/access/admission/quota/configuration.h"

#include <algorithm>

#include "api/validation/field_errors.h"
#include "base/strings.h"

namespace proa::apiserver::quota {
namespace configuration {

using api::View;

// Equivalent kinds of different versions.
constexpr struct {
  std::string_view version;
  std::string_view kind;
} kKnown[] = {
    {"apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration"},
    {"resourcequota.admission.k8s.io/v1", "Configuration"},
    {"resourcequota.admission.k8s.io/v1beta1", "Configuration"},
    {"resourcequota.admission.k8s.io/v1alpha1", "Configuration"},
};

bool is_known(View document) {
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const auto& known) {
    return document["apiVersion"].text() == known.version && document["kind"].text() == known.kind;
  });
}

void refuse_unknown(View object, std::initializer_list<std::string_view> known,
                    const std::string& path, std::vector<std::string>& problems) {
  for (const json::Member& member : object.members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    problems.push_back("unknown field \"" + path + std::string(member.key) + "\"");
  }
}

LimitedResource read_limited(View item) {
  LimitedResource limited{.group = std::string(item["apiGroup"].text()),
                          .resource = std::string(item["resource"].text()),
                          .match_contains = {},
                          .match_scopes = {}};
  for (const View part : item["matchContains"].items()) {
    limited.match_contains.emplace_back(part.text());
  }
  for (const View scope : item["matchScopes"].items()) {
    limited.match_scopes.push_back(kinds::quota::read_scope_rule(scope));
  }
  return limited;
}

}  // namespace configuration

Result<Configuration> read_configuration(api::View document) {
  Configuration read;
  if (!document) return read;
  if (!configuration::is_known(document)) {
    return Status(Reason::kInvalid,
                  "ResourceQuota: expected a ResourceQuotaConfiguration of "
                  "apiserver.config.k8s.io/v1, got " +
                      std::string(document["kind"].text("nothing")) + " of " +
                      std::string(document["apiVersion"].text("nothing")));
  }
  std::vector<std::string> problems;
  configuration::refuse_unknown(document, {"apiVersion", "kind", "limitedResources"}, "", problems);
  const api::View list = document["limitedResources"];
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string path = "limitedResources[" + std::to_string(i) + "].";
    configuration::refuse_unknown(
        list.item(i), {"apiGroup", "resource", "matchContains", "matchScopes"}, path, problems);
    read.limited.push_back(configuration::read_limited(list.item(i)));
    if (read.limited.back().resource.empty()) {
      problems.push_back(path + "resource: Required value");
    }
  }
  if (problems.empty()) return read;
  return Status(Reason::kInvalid, "ResourceQuota: " + join(problems, ", "));
}

}  // namespace proa::apiserver::quota
