#include <fmt/format.h>

#include <list>

#include "apiserver/access/admission/matching/review_options.h"
#include "apiserver/access/admission/webhooks/hook_index.h"
#include "apiserver/access/admission/webhooks/hook_match.h"
#include "apiserver/access/admission/webhooks/hook_review.h"
#include "apiserver/access/admission/webhooks/webhooks.h"

namespace proa::apiserver {
namespace validating_webhooks {

class ValidatingWebhooks final : public AdmissionPlugin {
 public:
  explicit ValidatingWebhooks(const AdmissionContext& context)
      : context_(context),
        objects_(context.store, context.schema),
        equivalents_(context.schema),
        index_(context.store, context.schema, context.clock, "validatingwebhookconfigurations") {}

  bool concerns(const Admission& admission) const override {
    // Exempt writes, such as heartbeats of nodes, do not even wait for the index.
    return !is_exempt_from_webhooks(admission.request) &&
           index_.has(admission.request.resource->name);
  }

  // All are asked at once.
  Result<void> validate(api::View object, const Admission& admission) override {
    const HookIndex::Hooks hooks = index_.find(admission.request.resource->name);
    const Subject subject(admission, object, objects_);
    json::Arena arena;
    RequestInputs inputs(subject, context_.authorizer, context_.clock, arena);
    std::optional<json::Document> options;
    std::list<Matched> matches;
    std::list<HookReview> reviews;
    for (const uint32_t place : hooks.places) {
      const AdmissionHook& hook = hooks.at(place);
      const std::optional<Matched> matched =
          TRY(match_hook(hook, AdmissionStep::kValidate, inputs, equivalents_, context_.metrics));
      if (!matched) continue;
      if (!options) options = review_options(admission);
      matches.push_back(*matched);
      reviews.emplace_back(
          HookReview::About{.hook = hook,
                            .matched = matches.back(),
                            .subject = subject,
                            .objects = TRY(inputs.versions().in(*matched)),
                            .options = *options,
                            // Upstream counts those that match.
                            .place = fmt::format("round_0_index_{}", reviews.size()),
                            .credentials = context_.credentials.get()},
          WebhookMay::kOnlyValidate);
    }
    for (HookReview& review : reviews)
      review.begin(context_.hooks, context_.random, context_.metrics);
    // All are waited for: their warnings count whatever the others say.
    Result<void> outcome;
    for (HookReview& review : reviews) {
      const Result<json::Document> answer = review.finish();
      review.count(context_.metrics, true);
      if (!answer && outcome) outcome = answer.status();
    }
    return outcome;
  }

 private:
  const AdmissionContext context_;
  const ObjectReader objects_;
  const Equivalents equivalents_;
  mutable HookIndex index_;
};

}  // namespace validating_webhooks

Result<std::unique_ptr<AdmissionPlugin>> make_validating_webhooks(const AdmissionContext& context) {
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<validating_webhooks::ValidatingWebhooks>(context));
}

}  // namespace proa::apiserver
