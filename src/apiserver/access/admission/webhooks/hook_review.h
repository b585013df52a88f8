#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/matching/versions.h"
#include "apiserver/access/admission/webhooks/admission_hook.h"
#include "apiserver/access/admission/webhooks/admission_review.h"
#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/access/webhook/hook_credentials.h"
#include "base/random.h"

namespace proa::apiserver {

// One request under review by one webhook. For one thread, which may block.
class HookReview {
 public:
  // Who is asked, about what. All outlive it.
  struct About {
    const AdmissionHook& hook;
    const Matched& matched;
    const Subject& subject;
    ObjectVersions::Objects objects;  // in the version of `matched`
    const json::Document& options;
    std::string place;                   // in keys of audit annotations: "round_0_index_1"
    const HookCredentials* credentials;  // null: none
  };
  HookReview(const About& about, WebhookMay may) : about_(about), may_(may) {}

  // Sends the question; several webhooks may be asked at once. `hooks`: null if this server calls
  // none.
  void begin(HookCaller* hooks, Random& random, AdmissionMetrics& metrics);
  // Waits. Fails if the request is refused, or if the webhook failed and that counts. Returns the
  // patch, which may be null.
  Result<json::Document> finish();
  // After that. `used`: whether the answer, if there is one, could be used.
  void count(AdmissionMetrics& metrics, bool used) const;

 private:
  bool is_refused_dry() const;
  AdmissionQuestion question() const;
  Result<std::unique_ptr<HookCall>> call(HookCaller* hooks, Random& random);
  Result<AdmissionAnswer> answer();
  // Of a review that failed: what becomes of the request.
  Result<json::Document> finish_failed(const Status& why);
  // Of a webhook that gave no answer.
  Status failure(const Status& why) const;

  const About about_;
  const WebhookMay may_;
  std::string uid_;
  Steady begin_;
  std::optional<Duration> took_;  // to call it; nullopt: it was not called
  ReviewOutcome outcome_;
  std::optional<Result<std::unique_ptr<HookCall>>> call_;
};

}  // namespace proa::apiserver
