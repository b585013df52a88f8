#include "apiserver/access/authz/configuration/configuration.h"

#include <array>
#include <map>

#include "api/object/edit.h"
#include "api/validation/configuration.h"
#include "api/validation/go_text.h"
#include "apiserver/access/authz/configuration/configuration_rules.h"
#include "base/strings.h"
#include "json/print.h"

namespace proa::apiserver {
namespace authorization_configuration {

using api::View;

// The kind in the language of schema/. It is only read from a file, not part of the API.
constexpr std::string_view kSchema = R"(
group   apiserver.config.k8s.io/v1
package k8s.io.apiserver.config.v1
openapi io.k8s.apiserver.config.v1

kind AuthorizationConfiguration  json-only  unpublished  "Who decides what callers may do."
  - authorizers  []AuthorizerConfiguration

type AuthorizerConfiguration  json-only  unpublished
  - type     string
  - name     string
  - webhook  *WebhookConfiguration

type WebhookConfiguration  json-only  unpublished
  - authorizedTTL                             string
  - cacheAuthorizedRequests                   *bool
  - unauthorizedTTL                           string
  - cacheUnauthorizedRequests                 *bool
  - timeout                                   string
  - subjectAccessReviewVersion                string
  - matchConditionSubjectAccessReviewVersion  string
  - failurePolicy                             string
  - connectionInfo                            WebhookConnectionInfo
  - matchConditions                           []WebhookMatchCondition

type WebhookConnectionInfo  json-only  unpublished
  - type            string
  - kubeConfigFile  *string

type WebhookMatchCondition  json-only  unpublished
  - expression  string
)";

// All versions have the same fields, but for flags that v1 added.
constexpr std::array<std::string_view, 3> kVersions = {"apiserver.config.k8s.io/v1",
                                                       "apiserver.config.k8s.io/v1beta1",
                                                       "apiserver.config.k8s.io/v1alpha1"};
constexpr api::ConfigurationKind kConfiguration{.kind = "AuthorizationConfiguration",
                                                .versions = kVersions};
constexpr std::string_view kWebhook = "Webhook";

const api::Schema& schema() {
  static const api::Schema kParsed = api::configuration_schema(kSchema);
  return kParsed;
}

Status all_of(const std::vector<std::string>& texts) {
  return {Reason::kInvalid, api::aggregate_text(texts)};
}

Result<json::Document> decode(std::string_view text) {
  if (text.empty()) return json::Document({}, json::Value::object());
  Result<json::Document> document = api::read_configuration(text, schema(), kConfiguration);
  if (!document) {
    return document.status().in("failed to load AuthorizationConfiguration from file");
  }
  return document;
}

// Upstream takes a duration of zero for one that is absent.
bool is_unset(View duration) {
  if (duration.text().empty()) return true;
  const Result<Duration> parsed = parse_duration(duration.text());
  return parsed && *parsed == Duration(0);
}

void set_defaults(api::Edit configuration) {
  const size_t count = configuration["authorizers"].size();
  for (size_t i = 0; i < count; ++i) {
    const api::Edit authorizer = configuration.array("authorizers").item(i);
    if (!authorizer["webhook"]) continue;
    const api::Edit webhook = authorizer.object("webhook");
    if (is_unset(webhook["authorizedTTL"])) webhook.set("authorizedTTL", "5m0s");
    if (is_unset(webhook["unauthorizedTTL"])) webhook.set("unauthorizedTTL", "30s");
  }
}

// The same text for values that differ in the order of their keys or in how a duration is written.
std::string canonical(View value) {
  std::string text;
  if (!value.members().empty()) {
    std::map<std::string_view, std::string> members;
    for (const auto& [key, member] : value.members()) members.emplace(key, canonical(member));
    for (const auto& [key, member] : members)
      text += "\"" + std::string(key) + "\":" + member + ",";
    return "{" + text + "}";
  }
  if (!value.items().empty()) {
    for (const View item : value.items()) text += canonical(item) + ",";
    return "[" + text + "]";
  }
  const Result<Duration> duration = parse_duration(value.text());
  return duration ? format_duration(*duration) : json::print(*value.value());
}

Duration duration_of(View written) { return parse_duration(written.text()).value(); }

Result<WebhookAuthorizerOptions> webhook_of(View webhook, Files& files) {
  WebhookAuthorizerOptions read;
  const std::string file(webhook["connectionInfo"]["kubeConfigFile"].text());
  if (file.empty()) {
    return Status(Reason::kInvalid,
                  "connectionInfo.type InClusterConfig is not supported by this server");
  }
  read.connection = TRY(client::read_kubeconfig(files, file));
  read.version = webhook["subjectAccessReviewVersion"].text();
  read.timeout = duration_of(webhook["timeout"]);
  const bool keep_allowed = webhook["cacheAuthorizedRequests"].flag(true);
  const bool keep_refused = webhook["cacheUnauthorizedRequests"].flag(true);
  read.keep_allowed = keep_allowed ? duration_of(webhook["authorizedTTL"]) : Duration(0);
  read.keep_refused = keep_refused ? duration_of(webhook["unauthorizedTTL"]) : Duration(0);
  const bool denies = webhook["failurePolicy"].text() == "Deny";
  read.on_failure = denies ? Decision::kDeny : Decision::kNoOpinion;
  for (const View condition : webhook["matchConditions"].items()) {
    read.conditions.push_back(cel::compile_review_condition(condition["expression"].text()));
  }
  return read;
}

// Names of authorizers that are no webhooks are fixed.
std::vector<std::string> wrong_names(View authorizers) {
  std::vector<std::string> wrong;
  for (const View authorizer : authorizers.items()) {
    const std::string type(authorizer["type"].text());
    const std::string name(authorizer["name"].text());
    if (type == kWebhook || name == to_lower(type)) continue;
    wrong.push_back("expected name " + to_lower(type) + " for authorizer " + type + " instead of " +
                    name);
  }
  return wrong;
}

}  // namespace authorization_configuration

Result<AuthorizationConfiguration> read_authorization_configuration(std::string_view text,
                                                                    Files& files) {
  using namespace authorization_configuration;
  json::Document document = TRY(decode(text));
  set_defaults(api::Edit(document));
  const View written = document.root();
  api::FieldErrors errors;
  validate_authorization_configuration(written, authorizer_types(), files, errors);
  if (!errors.empty()) return all_of(errors.texts());
  const View authorizers = written["authorizers"];
  const std::vector<std::string> wrong = wrong_names(authorizers);
  if (!wrong.empty()) return all_of(wrong);
  AuthorizationConfiguration read{.authorizers = {}, .meaning = canonical(authorizers)};
  for (const View authorizer : authorizers.items()) {
    ConfiguredAuthorizer& one = read.authorizers.emplace_back();
    one.type = authorizer["type"].text();
    one.name = authorizer["name"].text();
    if (one.type == kWebhook) one.webhook = TRY(webhook_of(authorizer["webhook"], files));
  }
  return read;
}

}  // namespace proa::apiserver
