#include "apiserver/resources/virtual/virtual.h"

#include "apiserver/request/failures.h"
#include "apiserver/resources/virtual/access_reviews.h"
#include "apiserver/resources/virtual/bindings.h"
#include "apiserver/resources/virtual/component_statuses.h"
#include "apiserver/resources/virtual/rules_reviews.h"
#include "apiserver/resources/virtual/self_subject_reviews.h"
#include "apiserver/resources/virtual/token_reviews.h"

namespace proa::apiserver {
namespace virtual_resources {

struct Entry {
  std::string_view group;
  std::string_view resource;
  api::Verb verb;
  Result<Answer> (*run)(const ApiContext& context, Call& call);
};

// To add one: a unit in this folder, and a line here.
constexpr Entry kEntries[] = {
    {"", "bindings", api::Verb::kCreate, create_binding},
    {"", "componentstatuses", api::Verb::kGet, get_component_status},
    {"", "componentstatuses", api::Verb::kList, list_component_statuses},
    {"authentication.k8s.io", "selfsubjectreviews", api::Verb::kCreate, create_self_subject_review},
    {"authentication.k8s.io", "tokenreviews", api::Verb::kCreate, create_token_review},
    {"authorization.k8s.io", "localsubjectaccessreviews", api::Verb::kCreate,
     create_local_subject_access_review},
    {"authorization.k8s.io", "selfsubjectaccessreviews", api::Verb::kCreate,
     create_self_subject_access_review},
    {"authorization.k8s.io", "selfsubjectrulesreviews", api::Verb::kCreate,
     create_self_subject_rules_review},
    {"authorization.k8s.io", "subjectaccessreviews", api::Verb::kCreate,
     create_subject_access_review},
};

}  // namespace virtual_resources

Result<Answer> run_virtual(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  for (const virtual_resources::Entry& entry : virtual_resources::kEntries) {
    if (entry.group == request.resource->group && entry.resource == request.resource->name &&
        entry.verb == request.verb) {
      return entry.run(context, call);
    }
  }
  return no_such_resource();
}

}  // namespace proa::apiserver
