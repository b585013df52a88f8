#include "apiserver/access/authz/webhook/webhook_authorizer.h"

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::apiserver {
namespace webhook_authorizer {

using api::Edit;
using api::View;

const Log kLog{"apiserver"};

constexpr ReviewKind kSubjectAccessReview{
    .group = "authorization.k8s.io",
    .kind = "SubjectAccessReview",
    .status_type = "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
    .empty_status = R"({"allowed":false})",
};
constexpr size_t kMaxAnswers = 8192;
// Requests with longer names and paths are not cached, to bound memory.
constexpr size_t kMaxControlledBytes = 10'000;
// A decision that was cached when may_wait() was called is used even if it has expired since.
constexpr Duration kGrace = std::chrono::seconds(10);

void set_if(Edit object, std::string_view name, std::string_view text) {
  if (!text.empty()) object.set(name, text);
}

void set_list(Edit object, std::string_view name, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    object.array(name).push(json::Value::string(object.arena(), text));
  }
}

void set_attributes(Edit spec, const Attributes& attributes) {
  if (!attributes.is_resource) {
    const Edit path = spec.object("nonResourceAttributes");
    set_if(path, "path", attributes.path);
    set_if(path, "verb", attributes.verb);
    return;
  }
  const Edit resource = spec.object("resourceAttributes");
  set_if(resource, "namespace", attributes.name_space);
  set_if(resource, "verb", attributes.verb);
  set_if(resource, "group", attributes.group);
  set_if(resource, "version", attributes.version);
  set_if(resource, "resource", attributes.resource);
  set_if(resource, "subresource", attributes.subresource);
  set_if(resource, "name", attributes.name);
}

bool is_worth_keeping(const Attributes& attributes) {
  const size_t bytes = attributes.name_space.size() + attributes.verb.size() +
                       attributes.group.size() + attributes.version.size() +
                       attributes.resource.size() + attributes.subresource.size() +
                       attributes.name.size() + attributes.path.size();
  return bytes < kMaxControlledBytes;
}

Verdict verdict_of(View status) {
  const bool allowed = status["allowed"].flag();
  const bool denied = status["denied"].flag();
  std::string reason(status["reason"].text());
  if (allowed && denied) kLog.error("authorization webhook both allowed and denied a request");
  if (denied) return {Decision::kDeny, std::move(reason)};
  if (allowed) return {Decision::kAllow, std::move(reason)};
  return {Decision::kNoOpinion, std::move(reason)};
}

Status unknown_version(std::string_view version) {
  return {Reason::kInvalid, "unsupported webhook authorizer version " + api::quoted(version) +
                                ", supported versions are \"v1\", \"v1beta1\""};
}

}  // namespace webhook_authorizer

Result<std::unique_ptr<WebhookAuthorizer>> WebhookAuthorizer::make(
    const WebhookContext& context, WebhookAuthorizerOptions options) {
  if (options.version != "v1" && options.version != "v1beta1") {
    return webhook_authorizer::unknown_version(options.version);
  }
  std::unique_ptr<WebhookClient> client =
      TRY(WebhookClient::make(context, {.connection = options.connection}));
  return std::unique_ptr<WebhookAuthorizer>(
      new WebhookAuthorizer(context, std::move(options), std::move(client)));
}

WebhookAuthorizer::WebhookAuthorizer(const WebhookContext& context,
                                     WebhookAuthorizerOptions options,
                                     std::unique_ptr<WebhookClient> client)
    : options_(std::move(options)),
      keys_(context.random),
      cache_(context.clock, webhook_authorizer::kMaxAnswers),
      reviews_(std::move(client), webhook_authorizer::kSubjectAccessReview, options_.version) {}

json::Document WebhookAuthorizer::spec_of(const Attributes& attributes) const {
  using namespace webhook_authorizer;
  json::Document document({}, json::Value::object());
  const Edit spec(document);
  set_attributes(spec, attributes);
  if (const User* user = attributes.user) {
    set_if(spec, "user", user->name);
    // The one field that was renamed between versions.
    set_list(spec, options_.version == "v1beta1" ? "group" : "groups", user->groups);
    for (const auto& [name, values] : user->extra) set_list(spec.object("extra"), name, values);
    set_if(spec, "uid", user->uid);
  }
  return document;
}

std::string WebhookAuthorizer::key_of(const json::Document& spec) const {
  const std::string text = json::print(spec.root());
  const std::string_view parts[] = {text};
  return keys_.of(parts);
}

bool WebhookAuthorizer::may_wait(const Attributes& attributes) const {
  return !cache_.find(key_of(spec_of(attributes))).has_value();
}

Verdict WebhookAuthorizer::authorize(const Attributes& attributes) {
  using namespace webhook_authorizer;
  const json::Document spec = spec_of(attributes);
  const std::string key = key_of(spec);
  if (!reviews_.client().may_block_here()) return cache_.find(key, kGrace).value_or(Verdict{});
  Result<Verdict> verdict = cache_.get(key, [&] { return ask(attributes, spec); });
  return verdict.ok() ? std::move(*verdict) : Verdict{};
}

WebhookAuthorizer::Cache::Asked WebhookAuthorizer::ask(const Attributes& attributes,
                                                       const json::Document& spec) {
  using namespace webhook_authorizer;
  const Result<json::Document> answer = reviews_.ask(spec.root());
  if (!answer) {
    kLog.error("authorization webhook failed", {{"error", answer.status()}});
    return {answer.status()};
  }
  const View status = answer->root();
  Duration keep = status["allowed"].flag() ? options_.keep_allowed : options_.keep_refused;
  if (!is_worth_keeping(attributes)) keep = Duration(0);
  return {verdict_of(status), keep};
}

void WebhookAuthorizer::list_rules(const User&, std::string_view, RuleList& rules) {
  rules.incomplete = true;
  if (!rules.error.empty()) rules.error += ", ";
  rules.error += "webhook authorizer does not support user rule resolution";
}

}  // namespace proa::apiserver
