#include "apiserver/access/authz/configuration/configuration.h"

#include <array>

#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "api/schema/parse.h"
#include "api/validation/go_text.h"
#include "apiserver/access/authz/configuration/configuration_rules.h"
#include "base/strings.h"
#include "json/yaml.h"

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

constexpr std::string_view kKind = "AuthorizationConfiguration";
constexpr std::string_view kGroupVersion = "apiserver.config.k8s.io/v1";
// All versions have the same fields, but for flags that v1 added.
constexpr std::array<std::string_view, 3> kVersions = {"apiserver.config.k8s.io/v1",
                                                       "apiserver.config.k8s.io/v1beta1",
                                                       "apiserver.config.k8s.io/v1alpha1"};
constexpr std::string_view kWebhook = "Webhook";

Status invalid(std::string why) {
  return {Reason::kInvalid,
          "failed to load AuthorizationConfiguration from file: " + std::move(why)};
}

Status all_of(const std::vector<std::string>& texts) {
  return {Reason::kInvalid, texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]"};
}

Result<void> check_kind(View document) {
  const std::string_view kind = document["kind"].text();
  const std::string_view version = document["apiVersion"].text();
  if (kind.empty()) return invalid("Object 'Kind' is missing");
  if (version.empty()) return invalid("Object 'apiVersion' is missing");
  const bool known = std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
  if (known && kind == kKind) return {};
  return invalid("no kind " + api::quoted(kind) + " is registered for version " +
                 api::quoted(version));
}

Result<json::Document> decode(std::string_view text) {
  const json::Document loose = TRY(json::parse_yaml(text));
  TRY(check_kind(loose.root()));
  const api::SchemaFile file{.name = "apiserver_config_v1", .text = kSchema};
  const api::Schema schema = TRY(api::parse_schema({&file, 1}));
  const api::Type* type = schema.find_kind(kGroupVersion, kKind);
  CHECK(type != nullptr);
  api::Decoded decoded = TRY(api::decode_yaml(text, *type, api::FieldValidation::kStrict));
  return std::move(decoded.document);
}

void set_defaults(api::Edit configuration) {
  const size_t count = configuration["authorizers"].size();
  for (size_t i = 0; i < count; ++i) {
    const api::Edit authorizer = configuration.array("authorizers").item(i);
    if (!authorizer["webhook"]) continue;
    const api::Edit webhook = authorizer.object("webhook");
    if (webhook["authorizedTTL"].text().empty()) webhook.set("authorizedTTL", "5m0s");
    if (webhook["unauthorizedTTL"].text().empty()) webhook.set("unauthorizedTTL", "30s");
  }
}

Duration duration_of(View written) { return parse_duration(written.text()).value(); }

Result<WebhookAuthorizerOptions> webhook_of(View webhook, Files& files) {
  WebhookAuthorizerOptions read;
  const std::string file(webhook["connectionInfo"]["kubeConfigFile"].text());
  if (file.empty()) {
    return invalid("connectionInfo.type InClusterConfig is not supported by this server");
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

Result<std::vector<ConfiguredAuthorizer>> read_authorization_configuration(std::string_view text,
                                                                           Files& files) {
  using namespace authorization_configuration;
  json::Document document({}, json::Value::object());
  if (!text.empty()) document = TRY(decode(text));
  set_defaults(api::Edit(document));
  const View written = document.root();
  api::FieldErrors errors;
  validate_authorization_configuration(written, authorizer_types(), files, errors);
  if (!errors.empty()) return all_of(errors.texts());
  const View authorizers = written["authorizers"];
  const std::vector<std::string> wrong = wrong_names(authorizers);
  if (!wrong.empty()) return all_of(wrong);
  std::vector<ConfiguredAuthorizer> read;
  for (const View authorizer : authorizers.items()) {
    ConfiguredAuthorizer& one = read.emplace_back();
    one.type = authorizer["type"].text();
    one.name = authorizer["name"].text();
    if (one.type == kWebhook) one.webhook = TRY(webhook_of(authorizer["webhook"], files));
  }
  return read;
}

}  // namespace proa::apiserver
