#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "apiserver/access/admission/matching/conditions.h"
#include "apiserver/access/admission/matching/criteria.h"
#include "apiserver/access/webhook/hook_config.h"
#include "base/limits/log_limit.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::apiserver {

// A webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, read once.
// Immutable, but for the count of log lines.
struct AdmissionHook {
  // `index`: its place in the configuration. REQUIRES: the clock outlives it.
  AdmissionHook(std::string_view configuration, size_t index, api::View webhook,
                cel::AdmissionCompiler& compiler, const Clock& clock);

  std::string configuration;
  std::string name;
  // Tells it from all others of its kind; the same in every version of its configuration.
  std::string id;
  MatchCriteria criteria;
  MatchConditions conditions;
  // What is wrong with these is said when it is called.
  Result<HookConfig> client;
  Result<std::string> review_version;
  Duration timeout;
  bool ignores_failures;  // failurePolicy
  bool may_run_dry;       // has no side effects that a dry run must not have
  bool is_reinvocable;
  // A webhook that is down fails each request that concerns it. Of its own: it hides no other's.
  mutable LogLimit failures_logged;
};
using AdmissionHookPtr = std::shared_ptr<const AdmissionHook>;

// The webhooks of a configuration, in its order.
std::vector<AdmissionHookPtr> read_hooks(const api::Object& configuration,
                                         cel::AdmissionCompiler& compiler, const Clock& clock);

}  // namespace proa::apiserver
