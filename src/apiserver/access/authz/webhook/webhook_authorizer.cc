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

std::string_view operator_name(api::LabelSelector::Operator op) {
  using Operator = api::LabelSelector::Operator;
  switch (op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals:
      return "In";
    case Operator::kNotIn:
    case Operator::kNotEquals:
      return "NotIn";
    case Operator::kExists:
      return "Exists";
    case Operator::kDoesNotExist:
      return "DoesNotExist";
    default:
      return {};
  }
}

// What a review cannot say is left out: it asks for more then, never for less.
void set_selectors(Edit resource, const Attributes& attributes) {
  for (const api::FieldSelector::Term& term : attributes.fields) {
    const Edit requirement = resource.object("fieldSelector").array("requirements").push_object();
    requirement.set("key", term.field);
    requirement.set("operator", term.equal ? "In" : "NotIn");
    set_list(requirement, "values", {term.value});
  }
  for (const api::LabelSelector::Requirement& label : attributes.labels) {
    const std::string_view name = operator_name(label.op);
    if (name.empty()) continue;
    const Edit requirement = resource.object("labelSelector").array("requirements").push_object();
    requirement.set("key", label.key);
    requirement.set("operator", name);
    set_list(requirement, "values", label.values);
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
  set_selectors(resource, attributes);
}

// The one field that was renamed between versions.
json::Document as_v1beta1(const json::Document& spec) {
  json::Document copy({}, json::Value::object());
  for (const json::Member& member : spec.root().members()) {
    Edit(copy).set(member.key == "groups" ? "group" : member.key, member.value.copy(copy.arena()));
  }
  return copy;
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

std::string_view result_label(WebhookAttempt::Is is) {
  switch (is) {
    case WebhookAttempt::Is::kAnswered:
      return "success";
    case WebhookAttempt::Is::kFailed:
      return "error";
    case WebhookAttempt::Is::kTimedOut:
      return "timeout";
    case WebhookAttempt::Is::kCancelled:
      return "canceled";
  }
  return "error";
}

Status unknown_version(std::string_view version) {
  return {Reason::kInvalid, "unsupported webhook authorizer version " + api::quoted(version) +
                                ", supported versions are \"v1\", \"v1beta1\""};
}

}  // namespace webhook_authorizer

Result<std::unique_ptr<WebhookAuthorizer>> WebhookAuthorizer::make(const WebhookContext& context,
                                                                   WebhookAuthorizerOptions options,
                                                                   AuthorizationMetrics* metrics) {
  if (options.version != "v1" && options.version != "v1beta1") {
    return webhook_authorizer::unknown_version(options.version);
  }
  std::unique_ptr<WebhookClient> client = TRY(
      WebhookClient::make(context, {.connection = options.connection, .timeout = options.timeout}));
  return std::unique_ptr<WebhookAuthorizer>(
      new WebhookAuthorizer(context, std::move(options), std::move(client), metrics));
}

WebhookAuthorizer::WebhookAuthorizer(const WebhookContext& context,
                                     WebhookAuthorizerOptions options,
                                     std::unique_ptr<WebhookClient> client,
                                     AuthorizationMetrics* metrics)
    : options_(std::move(options)),
      clock_(context.clock),
      metrics_(metrics),
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
    set_list(spec, "groups", user->groups);
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

WebhookAuthorizer::Matched WebhookAuthorizer::match(const json::Document& spec) const {
  if (options_.conditions.empty()) return {};
  const Steady begin = clock_.steady();
  const cel::ReviewMatch match = cel::matches_review(options_.conditions, spec.root());
  Matched matched{.verdict = std::nullopt, .counted = {.failed = match.has_errors}};
  matched.counted.took = clock_.steady() - begin;
  if (!match.error.empty()) {
    webhook_authorizer::kLog.error("match condition of an authorization webhook failed",
                                   {{"error", match.error}});
    matched.verdict = Verdict{options_.on_failure};
  } else if (!match.matches) {
    matched.counted.excluded = true;
    matched.verdict = Verdict{};
  }
  return matched;
}

void WebhookAuthorizer::count(const Matched& matched) const {
  if (metrics_ == nullptr || options_.conditions.empty()) return;
  metrics_->count_conditions(options_.name, matched.counted);
}

void WebhookAuthorizer::count_failure(const Status& why) const {
  if (metrics_ == nullptr || options_.on_failure != Decision::kNoOpinion) return;
  // Upstream counts none that were cancelled.
  if (reviews_.client().stopped()) return;
  metrics_->count_failed_open(options_.name, why.is(Reason::kTimeout) ? "timeout" : "error");
}

bool WebhookAuthorizer::may_wait(const Attributes& attributes) const {
  const json::Document spec = spec_of(attributes);
  return !match(spec).verdict && !cache_.find(key_of(spec)).has_value();
}

std::optional<Verdict> WebhookAuthorizer::authorize_now(const Attributes& attributes) {
  const json::Document spec = spec_of(attributes);
  Matched matched = match(spec);
  std::optional<Verdict> verdict =
      matched.verdict ? std::move(matched.verdict) : cache_.find(key_of(spec));
  if (verdict) count(matched);
  return verdict;
}

Verdict WebhookAuthorizer::authorize(const Attributes& attributes) {
  using namespace webhook_authorizer;
  const json::Document spec = spec_of(attributes);
  Matched matched = match(spec);
  count(matched);
  if (matched.verdict) return std::move(*matched.verdict);
  const std::string key = key_of(spec);
  Verdict failed{options_.on_failure};
  if (!reviews_.client().may_block_here()) return cache_.find(key, kGrace).value_or(failed);
  Result<Verdict> verdict = cache_.get(key, [&] { return ask(attributes, spec); });
  if (verdict.ok()) return std::move(*verdict);
  count_failure(verdict.status());
  return failed;
}

WebhookAuthorizer::Cache::Asked WebhookAuthorizer::ask(const Attributes& attributes,
                                                       const json::Document& spec) {
  using namespace webhook_authorizer;
  std::vector<WebhookAttempt> attempts;
  const Result<json::Document> answer =
      reviews_.ask(options_.version == "v1" ? spec.root() : as_v1beta1(spec).root(), &attempts);
  if (metrics_ != nullptr) {
    for (const WebhookAttempt& attempt : attempts)
      metrics_->count_call(options_.name, result_label(attempt.is), attempt.took);
  }
  if (!answer) {
    kLog.error("authorization webhook failed", {{"error", answer.status()}});
    const bool late = !attempts.empty() && attempts.back().is == WebhookAttempt::Is::kTimedOut;
    return {late ? Status(Reason::kTimeout, answer.status().message()) : answer.status()};
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
