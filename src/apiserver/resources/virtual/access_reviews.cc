#include "apiserver/resources/virtual/access_reviews.h"

#include <algorithm>
#include <optional>

#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/resources/subresources/posted.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace access_reviews {

using api::View;
using FieldTerm = api::FieldSelector::Term;
using LabelRequirement = api::LabelSelector::Requirement;

// The parsed part of a selector. Invalid terms are dropped: the request then covers more objects,
// never fewer.
template <typename T>
struct ParsedTerms {
  std::vector<T> terms;
  bool incomplete = false;  // terms were dropped
};

ParsedTerms<FieldTerm> read_fields(View selector) {
  ParsedTerms<FieldTerm> found;
  if (const std::string_view raw = selector["rawSelector"].text(); !raw.empty()) {
    const auto parsed = api::FieldSelector::parse(raw);
    found.incomplete = !parsed.ok();
    if (parsed.ok()) found.terms.assign(parsed->terms().begin(), parsed->terms().end());
  }
  for (const View one : selector["requirements"].items()) {
    const std::string_view operation = one["operator"].text();
    const View values = one["values"];
    if (values.size() != 1 || (operation != "In" && operation != "NotIn")) {
      found.incomplete = true;
      continue;
    }
    found.terms.push_back({.field = std::string(one["key"].text()),
                           .value = std::string(values.item(0).text()),
                           .equal = operation == "In"});
  }
  return found;
}

std::optional<api::LabelSelector::Operator> label_operator(std::string_view name) {
  using Operator = api::LabelSelector::Operator;
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return std::nullopt;
}

ParsedTerms<LabelRequirement> read_labels(View selector) {
  ParsedTerms<LabelRequirement> found;
  if (const std::string_view raw = selector["rawSelector"].text(); !raw.empty()) {
    const auto parsed = api::LabelSelector::parse(raw);
    found.incomplete = !parsed.ok();
    if (parsed.ok()) {
      found.terms.assign(parsed->requirements().begin(), parsed->requirements().end());
    }
  }
  for (const View one : selector["requirements"].items()) {
    const auto operation = label_operator(one["operator"].text());
    if (!operation) {
      found.incomplete = true;
      continue;
    }
    LabelRequirement requirement{.key = std::string(one["key"].text()), .op = *operation};
    for (const View value : one["values"].items()) requirement.values.emplace_back(value.text());
    std::sort(requirement.values.begin(), requirement.values.end());
    found.terms.push_back(std::move(requirement));
  }
  return found;
}

// The attributes and the selector terms they refer to.
struct Question {
  Attributes attributes;
  ParsedTerms<FieldTerm> fields;
  ParsedTerms<LabelRequirement> labels;
};

// Refers to `spec` and `user`.
Question question_of(View spec, const User& user) {
  Question question;
  Attributes& attributes = question.attributes;
  attributes.user = &user;
  if (const View resource = spec["resourceAttributes"]) {
    attributes.verb = resource["verb"].text();
    attributes.group = resource["group"].text();
    attributes.version = resource["version"].text();
    if (attributes.version.empty()) attributes.version = "*";
    attributes.resource = resource["resource"].text();
    attributes.subresource = resource["subresource"].text();
    attributes.name_space = resource["namespace"].text();
    attributes.name = resource["name"].text();
    question.fields = read_fields(resource["fieldSelector"]);
    question.labels = read_labels(resource["labelSelector"]);
    return question;
  }
  const View other = spec["nonResourceAttributes"];
  attributes.is_resource = false;
  attributes.verb = other["verb"].text();
  attributes.path = other["path"].text();
  return question;
}

template <typename T>
void describe(const ParsedTerms<T>& selector, std::string_view name,
              std::vector<std::string>& problems) {
  if (!selector.incomplete) return;
  problems.push_back("spec.resourceAttributes." + std::string(name) +
                     (selector.terms.empty() ? "" : " partially") + " ignored due to parse error");
}

User user_of(View spec) {
  User user;
  user.name = spec["user"].text();
  user.uid = spec["uid"].text();
  for (const View group : spec["groups"].items()) user.groups.emplace_back(group.text());
  for (const json::Member& member : spec["extra"].members()) {
    auto& values = user.extra.emplace_back(std::string(member.key), std::vector<std::string>());
    for (const View value : View(member.value).items()) values.second.emplace_back(value.text());
  }
  return user;
}

Result<json::Document> read_review(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const api::Type& type = *request.resource->type;
  Posted posted = TRY(read_posted(context, type, call));
  api::FieldErrors errors;
  errors.about(type);
  const kinds::KindRules& rules = kinds::find_rules(type.group_version, type.name);
  if (rules.validate != nullptr) rules.validate(posted.view(), errors);
  // As upstream, the error has no kind.
  if (!errors.empty()) return errors.to_status(request.resource->group, "", "");
  TRY(validate_posted(context, request, posted));
  return std::move(posted.document);
}

Result<Answer> answer(Authorizer& authorizer, const Request& request, json::Document body,
                      const User& user) {
  const api::Edit review(body);
  Question question = question_of(review["spec"], user);
  question.attributes.fields = question.fields.terms;
  question.attributes.labels = question.labels.terms;
  const Verdict verdict = authorizer.authorize(question.attributes);
  std::vector<std::string> problems;
  describe(question.fields, "fieldSelector", problems);
  describe(question.labels, "labelSelector", problems);

  review.remove("status");
  const api::Edit status = review.object("status");
  status.set("allowed", verdict.allowed());
  if (verdict.decision == Decision::kDeny) status.set("denied", true);
  if (!verdict.reason.empty()) status.set("reason", verdict.reason);
  if (!problems.empty()) {
    status.set("evaluationError", join(std::span<const std::string>(problems), "; "));
  }
  const api::Decoded canonical = TRY(api::decode_document(std::move(body), *request.resource->type,
                                                          api::FieldValidation::kIgnore));
  return Answer{.code = 201, .object = api::Object::make(json::print(canonical.document.root()))};
}

Result<Answer> review_user(const ApiContext& context, Call& call) {
  json::Document body = TRY(read_review(context, call));
  const User user = user_of(View(body.root())["spec"]);
  return answer(context.authorizer, call.request, std::move(body), user);
}

}  // namespace access_reviews

Result<Answer> create_subject_access_review(const ApiContext& context, Call& call) {
  return access_reviews::review_user(context, call);
}

Result<Answer> create_self_subject_access_review(const ApiContext& context, Call& call) {
  json::Document body = TRY(access_reviews::read_review(context, call));
  return access_reviews::answer(context.authorizer, call.request, std::move(body),
                                *call.request.user);
}

// Validation ensures that it is about this namespace only.
Result<Answer> create_local_subject_access_review(const ApiContext& context, Call& call) {
  return access_reviews::review_user(context, call);
}

}  // namespace proa::apiserver
