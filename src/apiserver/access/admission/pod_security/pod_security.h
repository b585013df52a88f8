#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/pod_security/configuration.h"
#include "apiserver/access/admission/pod_security/namespace_review.h"
#include "apiserver/access/admission/pod_security/violation.h"

namespace proa::apiserver {

// Holds pods to the standard that their namespace's labels ask for. Pods are refused; about
// templates of pods their authors are warned, for their pods will be refused.
class PodSecurity final : public AdmissionPlugin {
 public:
  // Fails when the configuration is no good PodSecurityConfiguration.
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

  // Whom nothing here concerns.
  bool is_exempt(const Admission& admission) const;
  // What the labels of a namespace ask for.
  pod_security::Policy read_policy(const api::Object& name_space) const;
  // Nullopt when there is no such namespace.
  Result<std::optional<pod_security::Policy>> policy_for(const Admission& admission) const;

  const ObjectReader reader_;
  const pod_security::Configuration configuration_;
  const pod_security::NamespaceReview review_;
};

}  // namespace proa::apiserver
