#pragma once

#include <optional>
#include <vector>

#include "apiserver/access/admission/matching/access_answers.h"
#include "apiserver/access/admission/matching/versions.h"
#include "base/clock.h"
#include "base/cost/budget.h"
#include "cel/admission/evaluator.h"

namespace proa::apiserver {

// The values that expressions see of one request: `object`, `request`, `authorizer` and so on. Made
// when they are needed, once. For one thread. REQUIRES: the arguments outlive it.
class RequestInputs {
 public:
  RequestInputs(const Subject& subject, Authorizer& authorizer, const Clock& clock,
                json::Arena& arena);

  const Subject& subject() const { return subject_; }
  json::Arena& arena() { return arena_; }
  ObjectVersions& versions() { return versions_; }

  // For match conditions, which see no Namespace. `params` may be absent. Fails if an object cannot
  // be converted.
  Result<cel::AdmissionInputs> for_conditions(const Matched& matched, api::View params);
  // For the other expressions of policies. Fails if the Namespace is unknown, too.
  Result<cel::AdmissionInputs> for_policy(const Matched& matched, api::View params);
  // The same, about this object instead of that of the request.
  Result<cel::AdmissionInputs> for_policy(const Matched& matched, api::View params,
                                          api::View object);

 private:
  struct Described {
    const api::Resource* resource;
    const api::Type* kind;
    const json::Value* value;
  };
  Result<cel::AdmissionInputs> make(const Matched& matched, const api::Resource& resource,
                                    api::View params);
  const json::Value& request(const api::Resource& resource, const api::Type& kind);
  Result<cel::Value> name_space();

  const Subject& subject_;
  const AccessAnswers answers_;
  json::Arena& arena_;
  Budget budget_;
  ObjectVersions versions_;
  std::vector<Described> requests_;
  std::optional<json::Document> namespace_;
  cel::Value authorizer_;
  cel::Value request_resource_;
};

}  // namespace proa::apiserver
