#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/pod_security/configuration.h"
#include "apiserver/access/admission/pod_security/namespace_review.h"
#include "apiserver/access/admission/pod_security/violation.h"

namespace proa::apiserver {

// Enforces the pod security standard of a namespace's labels. Rejects pods; warns about pod
// templates, whose pods would be rejected.
class PodSecurity final : public AdmissionPlugin {
 public:
  // Fails if the configuration is not a valid PodSecurityConfiguration.
  static Result<std::unique_ptr<AdmissionPlugin>> make(const AdmissionContext& context);

  PodSecurity(const AdmissionContext& context, pod_security::Configuration configuration)
      : reader_(context.store, context.schema),
        configuration_(std::move(configuration)),
        review_(configuration_.exemptions, context.clock) {}

  bool concerns(const Admission& admission) const override;
  Result<void> validate(api::View object, const Admission& admission) override;

 private:
  Result<void> validate_namespace(api::View object, const Admission& admission) const;
  Result<void> validate_pod(api::View pod, const Admission& admission) const;
  Result<void> validate_template(api::View object, const Admission& admission) const;
  void review_namespace(api::View object, const pod_security::Policy& policy,
                        const Admission& admission) const;

  // Whether the user or namespace is exempt.
  bool is_exempt(const Admission& admission) const;
  bool has_exempt_runtime_class(api::View spec, const Admission& admission) const;
  // The policy in the labels of a namespace.
  pod_security::Policy read_policy(const api::Object& name_space) const;
  // Nullopt if the namespace does not exist.
  Result<std::optional<pod_security::Policy>> policy_for(const Admission& admission) const;

  const ObjectReader reader_;
  const pod_security::Configuration configuration_;
  const pod_security::NamespaceReview review_;
};

}  // namespace proa::apiserver
