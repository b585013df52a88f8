#include "apiserver/access/admission/webhooks/admission_hook.h"

#include <fmt/format.h>

#include "apiserver/access/admission/webhooks/admission_review.h"

namespace proa::apiserver {
namespace admission_hook {

constexpr int64_t kUsualSeconds = 10;
constexpr uint32_t kLogBurst = 3;
constexpr Duration kLogEvery = std::chrono::seconds(10);

bool may_run_dry(std::string_view side_effects) {
  return side_effects == "None" || side_effects == "NoneOnDryRun";
}

}  // namespace admission_hook

AdmissionHook::AdmissionHook(std::string_view of, size_t index, api::View webhook,
                             cel::AdmissionCompiler& compiler, const Clock& clock)
    : configuration(of),
      name(webhook["name"].text()),
      id(fmt::format("{}/{}/{}", configuration, name, index)),
      criteria(MatchCriteria::of_webhook(webhook)),
      conditions(webhook, compiler),
      client(HookConfig::read(webhook["clientConfig"])),
      review_version(admission_review_version(webhook["admissionReviewVersions"])),
      timeout(
          std::chrono::seconds(webhook["timeoutSeconds"].integer(admission_hook::kUsualSeconds))),
      ignores_failures(webhook["failurePolicy"].text() == "Ignore"),
      may_run_dry(admission_hook::may_run_dry(webhook["sideEffects"].text())),
      is_reinvocable(webhook["reinvocationPolicy"].text() == "IfNeeded"),
      failures_logged(clock, admission_hook::kLogBurst, admission_hook::kLogEvery) {}

std::vector<AdmissionHookPtr> read_hooks(const api::Object& configuration,
                                         cel::AdmissionCompiler& compiler, const Clock& clock) {
  std::vector<AdmissionHookPtr> hooks;
  const Result<json::Document> document = configuration.document();
  if (!document) return hooks;
  const api::View webhooks = api::View(document->root())["webhooks"];
  for (size_t i = 0; i < webhooks.size(); ++i) {
    hooks.push_back(std::make_shared<const AdmissionHook>(configuration.metadata().name, i,
                                                          webhooks.item(i), compiler, clock));
  }
  return hooks;
}

}  // namespace proa::apiserver
