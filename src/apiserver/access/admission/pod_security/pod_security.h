#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/pod_security/configuration.h"
#include "apiserver/access/admission/pod_security/namespace_review.h"
#include "apiserver/access/admission/pod_security/pod_security_metrics.h"
#include "apiserver/access/admission/pod_security/violation.h"

namespace proa::apiserver {

namespace pod_security {

class Findings;

// The policy in the labels of a namespace.
struct NamespacePolicy {
  Policy policy;
  std::string errors = {};  // of labels that cannot be read; empty: none
};

}  // namespace pod_security

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
  void write_metrics(MetricsText& text) const override { metrics_.write(text); }

 private:
  Result<void> validate_namespace(api::View object, const Admission& admission) const;
  Result<void> validate_pod(api::View pod, const Admission& admission);
  Result<void> validate_template(api::View object, const Admission& admission);
  void review_namespace(api::View object, const pod_security::Policy& policy,
                        const Admission& admission) const;

  // Whether the user or namespace is exempt.
  bool is_exempt(const Admission& admission);
  bool has_exempt_runtime_class(api::View spec, const Admission& admission);
  // What the policy does besides enforcing: audits a violation, and warns of one.
  void audit(pod_security::Findings& findings, const pod_security::Policy& policy, api::View object,
             const Admission& admission);
  void warn(pod_security::Findings& findings, const pod_security::Policy& policy,
            const Admission& admission);
  // Reports labels that cannot be read.
  void report(const pod_security::NamespacePolicy& found, const Admission& admission);
  // The policy in the labels of a namespace.
  pod_security::NamespacePolicy read_policy(const api::Object& name_space) const;
  // Nullopt if the namespace does not exist.
  Result<std::optional<pod_security::NamespacePolicy>> policy_for(const Admission& admission);

  const ObjectReader reader_;
  const pod_security::Configuration configuration_;
  const pod_security::NamespaceReview review_;
  pod_security::PodSecurityMetrics metrics_;
};

}  // namespace proa::apiserver
