#pragma once

#include <memory>
#include <mutex>

#include "apiserver/access/admission/matching/inputs.h"
#include "apiserver/access/admission/policies/policy.h"
#include "kinds/defaulting.h"

namespace proa::apiserver {

// Evaluates mutations and carries them out. Thread-safe.
class PolicyMutator {
 public:
  // REQUIRES: all outlive it.
  PolicyMutator(const ObjectReader& objects, const api::Schema& schema, Authorizer& authorizer,
                AdmissionMetrics& metrics)
      : objects_(objects), schema_(schema), authorizer_(authorizer), metrics_(metrics) {}

  // Whether the policy's conditions match. kInvalid: why they cannot be evaluated.
  Result<bool> matches(const Policy& policy, const Matched& matched, api::View param,
                       const Admission& admission, api::View object) const;

  // Carries out one mutation: the object is in its version before and after. Whether it changed.
  // kInvalid: the policy failed, and the object is as it was; other failures end the request.
  Result<bool> mutate(const Policy& policy, const PolicyMutation& mutation, const Matched& matched,
                      api::View param, const Admission& admission, api::Edit object) const;

 private:
  Result<json::Document> changed(const PolicyMutation& mutation, const cel::Value& value,
                                 api::View object, const Matched& matched, Budget& work) const;
  Result<json::Document> finished(json::Document document, const Matched& matched,
                                  const api::Type& type, PolicyMutation::Type mutation) const;
  const kinds::Defaulting& defaulting() const;

  const ObjectReader objects_;
  const api::Schema& schema_;
  Authorizer& authorizer_;
  AdmissionMetrics& metrics_;
  // Made by the first mutation: most servers have no such policies.
  mutable std::once_flag made_;
  mutable std::unique_ptr<const kinds::Defaulting> defaulting_;
};

}  // namespace proa::apiserver
