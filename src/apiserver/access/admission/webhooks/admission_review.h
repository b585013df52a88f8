#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/view.h"
#include "apiserver/access/admission/plugin.h"
#include "base/result.h"
#include "json/value.h"

// What is sent to an admission webhook, and what it may answer.

namespace proa::apiserver {

// A resource and the kind of its objects, in one version. A subresource may have a kind of another
// group.
struct ReviewedKind {
  std::string_view group;
  std::string_view version;
  std::string_view resource_group;
  std::string_view resource_version;
  std::string_view resource;
  std::string_view kind;
};

struct AdmissionQuestion {
  std::string version;  // of the review: "v1" or "v1beta1"
  std::string uid;      // of this question; the answer repeats it
  ReviewedKind seen;    // by the webhook
  ReviewedKind stated;  // by the request
  std::string_view name;
  const Admission& admission;
  api::View object;   // in the version that is seen; absent for deletions
  api::View old;      // absent for creations
  api::View options;  // CreateOptions and so on; may be absent
};

// The first version that a webhook names and that exists. `versions`: its admissionReviewVersions.
Result<std::string> admission_review_version(api::View versions);

std::string admission_text(const AdmissionQuestion& question);

struct AdmissionAnswer {
  bool allowed = false;
  json::Document patch;           // a list of operations; null: none
  std::optional<Status> refusal;  // if it is not allowed
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;
};

enum class WebhookMay : uint8_t { kOnlyValidate, kMutate };

// `answer` is hostile. `webhook` is its name, for the refusal. Fails if the answer is none; the
// words are upstream's.
Result<AdmissionAnswer> read_admission(const AdmissionQuestion& question, std::string_view webhook,
                                       WebhookMay may, std::string_view answer);

// `admission webhook "x" denied the request: WHY`, as the webhook's own status says it.
Status refused_by(std::string_view webhook, api::View result);

}  // namespace proa::apiserver
