#include "apiserver/access/admission/matching/access_answers.h"

namespace proa::apiserver {
namespace access_answers {

User service_account(std::string_view name_space, std::string_view name) {
  const std::string in(name_space);
  return {.name = "system:serviceaccount:" + in + ":" + std::string(name),
          .uid = "",
          .groups = {"system:serviceaccounts", "system:serviceaccounts:" + in},
          .extra = {}};
}

}  // namespace access_answers

cel::AccessAnswer AccessAnswers::authorize(const cel::AccessQuestion& question) const {
  User account;
  if (question.is_service_account) {
    account = access_answers::service_account(question.account_namespace, question.account_name);
  }
  Attributes attributes{.user = question.is_service_account ? &account : &user_,
                        .verb = question.verb,
                        .is_resource = question.is_resource};
  // A selector that cannot be read restricts nothing, so that it is not allowed more.
  Result<api::FieldSelector> fields = api::FieldSelector::parse(question.field_selector);
  Result<api::LabelSelector> labels = api::LabelSelector::parse(question.label_selector);
  if (question.is_resource) {
    attributes.group = question.group;
    attributes.version = "*";
    attributes.resource = question.resource;
    attributes.subresource = question.subresource;
    attributes.name_space = question.name_space;
    attributes.name = question.name;
    if (fields) attributes.fields = fields->terms();
    if (labels) attributes.labels = labels->requirements();
  } else {
    attributes.path = question.path;
  }
  Verdict verdict = authorizer_.authorize(attributes);
  return {.allowed = verdict.allowed(), .reason = std::move(verdict.reason), .error = std::nullopt};
}

}  // namespace proa::apiserver
