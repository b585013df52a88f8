#include "apiserver/access/admission/webhooks/hook_review.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "base/log.h"

namespace proa::apiserver {
namespace hook_review {

const Log kLog{"webhooks"};

std::string failed_open_key(WebhookMay may, const std::string& place) {
  return (may == WebhookMay::kMutate ? "failed-open.mutation.webhook.admission.k8s.io/"
                                     : "failed-open.validating.webhook.admission.k8s.io/") +
         place;
}

ReviewedKind kind_of(const api::Resource& resource, const api::Type& kind) {
  const size_t slash = kind.group_version.find('/');
  const bool has_group = slash != std::string_view::npos;
  return {.group = has_group ? kind.group_version.substr(0, slash) : std::string_view(),
          .version = has_group ? kind.group_version.substr(slash + 1) : kind.group_version,
          .resource_group = resource.group,
          .resource_version = resource.version,
          .resource = resource.name,
          .kind = kind.name};
}

}  // namespace hook_review

AdmissionQuestion HookReview::question() const {
  const Subject& subject = about_.subject;
  return {.version = about_.hook.review_version ? *about_.hook.review_version : std::string(),
          .uid = uid_,
          .seen = hook_review::kind_of(*about_.matched.resource, *about_.matched.kind),
          .stated = hook_review::kind_of(subject.resource(), subject.kind()),
          .name = subject.name(),
          .admission = subject.admission(),
          .object = about_.objects.object,
          .old = about_.objects.old,
          .options = about_.options.root()};
}

Result<std::unique_ptr<HookCall>> HookReview::call(HookCaller* hooks, Random& random) {
  const AdmissionHook& hook = about_.hook;
  if (hooks == nullptr) return Status(Reason::kServiceUnavailable, "this server calls no webhooks");
  if (!hook.review_version)
    return hook.review_version.status().in("could not create admission objects");
  if (!hook.client) return hook.client.status().in("could not get REST client");
  uid_ = make_uid(random);
  return hooks->begin(*hook.client, Bytes(admission_text(question())), hook.timeout);
}

bool HookReview::is_refused_dry() const {
  return about_.subject.admission().dry_run && !about_.hook.may_run_dry;
}

void HookReview::begin(HookCaller* hooks, Random& random) {
  if (!is_refused_dry()) call_ = call(hooks, random);
}

Result<AdmissionAnswer> HookReview::answer() {
  const std::unique_ptr<HookCall> waiting = TRY(std::move(*call_));
  const Result<Bytes> text = waiting->wait();
  if (!text) return text.status().in("failed to call webhook");
  Result<AdmissionAnswer> read = read_admission(question(), about_.hook.name, may_, text->view());
  if (!read) return read.status().in("received invalid webhook response");
  return read;
}

Status HookReview::failure(const Status& why) const {
  // Too many wait already: it is not the webhook's fault, and another attempt may do better.
  if (why.is(Reason::kTooManyRequests)) return why;
  return {Reason::kInternalError,
          fmt::format("Internal error occurred: failed calling webhook {}: {}",
                      api::quoted(about_.hook.name), why.message())};
}

Result<json::Document> HookReview::finish() {
  const AdmissionHook& hook = about_.hook;
  const Admission& admission = about_.subject.admission();
  if (is_refused_dry())
    return Status(Reason::kBadRequest, fmt::format("admission webhook {} does not support dry run",
                                                   api::quoted(hook.name)));
  Result<AdmissionAnswer> answer = this->answer();
  if (!answer) {
    const Status failed = failure(answer.status());
    if (!hook.ignores_failures) return failed;
    hook_review::kLog.warn("webhook failed, which is ignored",
                           {{"configuration", hook.configuration}, {"why", failed}});
    admission.annotate(hook_review::failed_open_key(may_, about_.place), hook.name);
    return json::Document();
  }
  for (auto& [key, value] : answer->audit_annotations)
    admission.annotate(hook.name + "/" + key, std::move(value));
  for (std::string& warning : answer->warnings) admission.request.warn(std::move(warning));
  if (answer->refusal) return *answer->refusal;
  return std::move(answer->patch);
}

}  // namespace proa::apiserver
