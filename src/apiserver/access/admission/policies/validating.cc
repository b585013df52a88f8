#include "apiserver/access/admission/policies/validating.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apiserver/access/admission/policies/evaluate.h"
#include "apiserver/access/admission/policies/exempt.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/admission/policies/policy_set.h"
#include "base/strings.h"
#include "json/print.h"

namespace proa::apiserver {
namespace validating_policies {

constexpr std::string_view kFailureAnnotation =
    "validation.policy.admission.k8s.io/validation_failure";

// What policies say of one request.
class Review {
 public:
  struct Context {
    const Equivalents& equivalents;
    PolicyParams& params;
    Authorizer& authorizer;
    AdmissionMetrics& metrics;
  };

  Review(const Context& context, const Subject& subject)
      : context_(context),
        subject_(subject),
        inputs_(subject, context.authorizer, context.metrics.clock(), arena_) {}

  // Fails only if the Namespace of the request is unknown.
  Result<void> apply(const BoundPolicy& bound) {
    const Policy& policy = *bound.policy;
    const auto matched = policy.criteria().match(subject_, context_.equivalents);
    if (!matched) {
      misconfigured(policy, nullptr, matched.status());
      return {};
    }
    if (!*matched) return {};
    ResourcePtr param_kind;
    if (policy.param_kind()) {
      Result<ResourcePtr> found = context_.params.find_kind(*policy.param_kind());
      if (!found) {
        misconfigured(policy, nullptr, found.status());
        return {};
      }
      param_kind = std::move(*found);
    }
    annotations_.clear();
    for (const PolicyBindingPtr& binding : bound.bindings) {
      TRY(apply(policy, *binding, **matched, param_kind));
    }
    for (const auto& [key, values] : annotations_) {
      subject_.admission().annotate(policy.name() + "/" + key, join(values, ", "));
    }
    return {};
  }

  // The first denial decides what the client reads.
  Result<void> answer() const {
    if (!denied_) return {};
    const Status forbidden = subject_.admission().forbidden(subject_.object(), denied_->message);
    StatusDetails details = forbidden.details();
    details.causes.push_back({.reason = "", .message = denied_->message, .field = ""});
    return Status(denied_->reason, forbidden.message()).with_details(std::move(details));
  }

 private:
  struct Denial {
    std::string message;
    Reason reason;
  };

  Result<void> apply(const Policy& policy, const PolicyBinding& binding, const Matched& matched,
                     const ResourcePtr& param_kind) {
    if (binding.criteria()) {
      const auto bound = binding.criteria()->match(subject_, context_.equivalents);
      if (!bound) {
        misconfigured(policy, &binding, bound.status());
        return {};
      }
      if (!*bound) return {};
    }
    const Result<std::vector<Param>> params =
        context_.params.collect(param_kind, binding, subject_.name_space());
    if (!params) {
      misconfigured(policy, &binding, params.status());
      return {};
    }
    if (params->empty()) return {};
    if (const auto converted = inputs_.versions().in(matched); !converted) {
      misconfigured(policy, &binding, converted.status().in("failed to convert object version"));
      return {};
    }
    for (const Param& param : *params) {
      const PolicyDecisions decisions =
          TRY(evaluate_policy(policy, matched, param.view(), inputs_, context_.metrics));
      act(policy, binding, decisions);
    }
    return {};
  }

  void act(const Policy& policy, const PolicyBinding& binding, const PolicyDecisions& decisions) {
    const ValidationActions& actions = binding.actions();
    for (size_t i = 0; i < decisions.validations.size(); ++i) {
      const PolicyDecision& decision = decisions.validations[i];
      count(policy, binding, decision);
      if (!decision.denies) continue;
      if (actions.deny) deny(policy, &binding, decision.message, decision.reason);
      if (actions.audit) audit(binding, i, decision.message);
      if (actions.warn) {
        subject_.admission().request.warn(fmt::format(
            "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
            policy.name(), binding.name(), decision.message));
      }
    }
    for (const AnnotationDecision& annotation : decisions.annotations) {
      if (annotation.action == AnnotationDecision::Action::kDeny) {
        deny(policy, &binding, annotation.value, Reason::kInvalid);
        context_.metrics.count_validation({.policy = policy.name(),
                                           .binding = binding.name(),
                                           .error = annotation.value,
                                           .took = annotation.took},
                                          "deny");
      } else if (annotation.action == AnnotationDecision::Action::kPublish) {
        // Several bindings may say the same.
        std::vector<std::string>& values = annotations_[annotation.key];
        if (std::ranges::find(values, annotation.value) == values.end()) {
          values.push_back(annotation.value);
        }
      }
    }
  }

  // As upstream, validations that succeed are not counted.
  void count(const Policy& policy, const PolicyBinding& binding,
             const PolicyDecision& decision) const {
    const PolicyCheck check{.policy = policy.name(),
                            .binding = binding.name(),
                            .error = decision.message,
                            .took = decision.took};
    const auto add = [&](std::string_view action) {
      context_.metrics.count_validation(check, action);
    };
    if (!decision.denies) {
      if (!decision.message.empty()) add("allow");
      return;
    }
    if (binding.actions().deny) add("deny");
    if (binding.actions().audit) add("audit");
    if (binding.actions().warn) add("warn");
  }

  void deny(const Policy& policy, const PolicyBinding* binding, std::string_view why,
            Reason reason) {
    if (denied_) return;
    const std::string with =
        binding == nullptr ? "" : fmt::format(" with binding '{}'", binding->name());
    denied_ = Denial{fmt::format("ValidatingAdmissionPolicy '{}'{} denied request: {}",
                                 policy.name(), with, why),
                     reason};
  }

  void misconfigured(const Policy& policy, const PolicyBinding* binding, const Status& why) {
    if (policy.failures() == FailurePolicy::kIgnore) return;
    const std::string_view what = binding == nullptr ? "policy" : "binding";
    deny(policy, binding, fmt::format("failed to configure {}: {}", what, why.message()),
         Reason::kInvalid);
  }

  void audit(const PolicyBinding& binding, size_t index, std::string_view message) const {
    json::Document document;
    document.root() = json::Value::array();
    const api::Edit failure = api::Edit(document).push_object();
    failure.set("message", message);
    failure.set("policy", binding.policy());
    failure.set("binding", binding.name());
    failure.set("expressionIndex", static_cast<int64_t>(index));
    const api::Edit actions = failure.array("validationActions");
    for (const std::string& name : binding.action_names()) {
      actions.push(json::Value::string(actions.arena(), name));
    }
    subject_.admission().annotate(kFailureAnnotation, json::print(document.root()));
  }

  const Context& context_;
  const Subject& subject_;
  json::Arena arena_;
  RequestInputs inputs_;
  std::map<std::string, std::vector<std::string>> annotations_;  // of one policy
  std::optional<Denial> denied_;
};

class ValidatingPolicies final : public AdmissionPlugin {
 public:
  explicit ValidatingPolicies(const AdmissionContext& context)
      : objects_(context.store, context.schema),
        equivalents_(context.schema),
        params_(context.params),
        policies_(context.store, context.schema, "validatingadmissionpolicies",
                  "validatingadmissionpolicybindings"),
        review_{equivalents_, params_, context.authorizer, context.metrics} {}

  bool concerns(const Admission& admission) const override {
    return !is_exempt_from_policies(admission.request);
  }

  Result<void> validate(api::View object, const Admission& admission) override {
    const BoundPoliciesPtr policies = policies_.bound();
    const auto about = policies->about(admission.request.resource->name);
    if (about.empty()) return {};
    const Subject subject(admission, object, objects_);
    Review review(review_, subject);
    for (const BoundPolicy* bound : about) TRY(review.apply(*bound));
    return review.answer();
  }

 private:
  const ObjectReader objects_;
  const Equivalents equivalents_;
  PolicyParams& params_;
  PolicySet policies_;
  const Review::Context review_;
};

}  // namespace validating_policies

Result<std::unique_ptr<AdmissionPlugin>> make_validating_policies(const AdmissionContext& context) {
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<validating_policies::ValidatingPolicies>(context));
}

}  // namespace proa::apiserver
