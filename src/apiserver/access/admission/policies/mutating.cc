#include "apiserver/access/admission/policies/mutating.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "apiserver/access/admission/policies/exempt.h"
#include "apiserver/access/admission/policies/mutate.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/admission/policies/policy_set.h"
#include "apiserver/access/admission/reinvocation.h"

namespace proa::apiserver {
namespace mutating_policies {

constexpr std::string_view kName = "MutatingAdmissionPolicy";

// A policy by a binding, with one param.
struct Invocation {
  const Policy& policy;
  const PolicyBinding& binding;
  Matched matched;
  Param param;

  std::string id() const { return policy.name() + " " + binding.name() + " " + param.key; }
};

// What went wrong with policies: those that ignore failures are left out.
class Failures {
 public:
  void add(const Policy& policy, const PolicyBinding* binding, std::string_view why,
           Reason reason = Reason::kForbidden) {
    if (policy.failures() == FailurePolicy::kIgnore) return;
    std::string message =
        binding == nullptr
            ? fmt::format("policy {} denied request: {}", api::quoted(policy.name()), why)
            : fmt::format("policy '{}' with binding '{}' denied request: {}", policy.name(),
                          binding->name(), why);
    if (messages_.empty()) reason_ = reason;
    messages_.push_back(std::move(message));
  }

  // The first one is the message; all are causes. The code is that of kForbidden, whatever the
  // reason is, as upstream's.
  Result<void> answer(const Admission& admission, api::View object) const {
    if (messages_.empty()) return {};
    const Status forbidden = admission.forbidden(object, "");
    StatusDetails details = forbidden.details();
    for (const std::string& message : messages_) {
      details.causes.push_back({.reason = "", .message = message, .field = ""});
    }
    return Status(reason_, forbidden.code(), messages_[0]).with_details(std::move(details));
  }

 private:
  Reason reason_ = Reason::kForbidden;
  std::vector<std::string> messages_;
};

class MutatingPolicies final : public AdmissionPlugin {
 public:
  explicit MutatingPolicies(const AdmissionContext& context)
      : objects_(context.store, context.schema),
        equivalents_(context.schema),
        params_(context.params),
        policies_(context.store, context.schema, "mutatingadmissionpolicies",
                  "mutatingadmissionpolicybindings"),
        metrics_(context.metrics),
        mutator_(objects_, context.schema, context.authorizer, context.metrics) {}

  bool concerns(const Admission& admission) const override {
    return !is_exempt_from_policies(admission.request);
  }

  Result<void> admit(api::Edit object, const Admission& admission) override {
    const BoundPoliciesPtr policies = policies_.bound();
    const auto about = policies->about(admission.request.resource->name);
    if (about.empty()) return {};
    Failures failures;
    const Subject subject(admission, object.view(), objects_);
    std::vector<Invocation> invocations;
    for (const BoundPolicy* bound : about) collect(*bound, subject, invocations, failures);
    if (!invocations.empty()) {
      // They all see the Namespace.
      if (!subject.name_space().empty() && !subject.is_namespace()) TRY(subject.find_namespace());
      TRY(run(invocations, object, admission, failures));
    }
    return failures.answer(admission, object.view());
  }

 private:
  // What is to be done is decided before anything is changed.
  void collect(const BoundPolicy& bound, const Subject& subject,
               std::vector<Invocation>& invocations, Failures& failures) {
    const Policy& policy = *bound.policy;
    const auto wrong = [&](const PolicyBinding* binding, const Status& why) {
      failures.add(policy, binding,
                   fmt::format("failed to configure {}: {}",
                               binding == nullptr ? "policy" : "binding", why.message()));
    };
    const auto matched = policy.criteria().match(subject, equivalents_);
    if (!matched) return wrong(nullptr, matched.status());
    if (!*matched) return;
    ResourcePtr param_kind;
    if (policy.param_kind()) {
      Result<ResourcePtr> found = params_.find_kind(*policy.param_kind());
      if (!found) return wrong(nullptr, found.status());
      param_kind = std::move(*found);
    }
    for (const PolicyBindingPtr& binding : bound.bindings) {
      if (binding->criteria()) {
        const auto selected = binding->criteria()->match(subject, equivalents_);
        if (!selected) wrong(binding.get(), selected.status());
        if (!selected || !*selected) continue;
      }
      Result<std::vector<Param>> params =
          params_.collect(param_kind, *binding, subject.name_space());
      if (!params) {
        wrong(binding.get(), params.status());
        continue;
      }
      for (Param& param : *params) {
        invocations.push_back({policy, *binding, **matched, std::move(param)});
      }
    }
  }

  // Fails only with what ends the request at once.
  Result<void> run(const std::vector<Invocation>& invocations, api::Edit object,
                   const Admission& admission, Failures& failures) {
    Reinvocation own;
    Reinvocation& reinvocation = admission.reinvocation == nullptr ? own : *admission.reinvocation;
    Reinvocation::Party& party = reinvocation.party(kName);
    reinvocation.begin(party, object.value());
    bool mutated = false;
    for (const Invocation& invocation : invocations) {
      const Policy& policy = invocation.policy;
      const Result<bool> matches = mutator_.matches(
          policy, invocation.matched, invocation.param.view(), admission, object.view());
      if (!matches) {
        failures.add(policy, &invocation.binding, matches.status().message(), Reason::kInvalid);
        continue;
      }
      if (!*matches) continue;
      if (!party.runs(invocation.id(), reinvocation.is_second_round())) continue;
      const Outcome outcome = TRY(mutate(invocation, object, admission, failures));
      if (outcome.changed) reinvocation.changed_by(party);
      if (policy.reinvoked_if_needed()) party.ran(invocation.id());
      mutated = mutated || outcome.mutated;
    }
    // Also those that nobody ran after, whatever they did: upstream's dispatchInvocations().
    if (mutated) reinvocation.changed_by(party);
    reinvocation.end(party, object.value());
    return {};
  }

  struct Outcome {
    bool mutated = false;  // a mutation was carried out
    bool changed = false;  // and the object is another one
  };

  Result<Outcome> mutate(const Invocation& invocation, api::Edit object, const Admission& admission,
                         Failures& failures) const {
    Outcome outcome;
    for (const PolicyMutation& mutation : invocation.policy.mutations()) {
      const Steady begin = metrics_.now();
      const Result<bool> mutated = mutator_.mutate(invocation.policy, mutation, invocation.matched,
                                                   invocation.param.view(), admission, object);
      metrics_.count_mutation({.policy = invocation.policy.name(),
                               .binding = invocation.binding.name(),
                               .error = mutated ? std::string_view() : mutated.status().message(),
                               .took = metrics_.since(begin)});
      if (mutated) {
        outcome.mutated = true;
        outcome.changed = outcome.changed || *mutated;
      } else if (mutated.is(Reason::kInvalid)) {
        failures.add(invocation.policy, &invocation.binding, mutated.status().message(),
                     Reason::kInvalid);
      } else {
        return mutated.status();
      }
    }
    return outcome;
  }

  const ObjectReader objects_;
  const Equivalents equivalents_;
  PolicyParams& params_;
  PolicySet policies_;
  AdmissionMetrics& metrics_;
  const PolicyMutator mutator_;
};

}  // namespace mutating_policies

Result<std::unique_ptr<AdmissionPlugin>> make_mutating_policies(const AdmissionContext& context) {
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<mutating_policies::MutatingPolicies>(context));
}

}  // namespace proa::apiserver
