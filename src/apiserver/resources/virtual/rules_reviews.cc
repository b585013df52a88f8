#include "apiserver/resources/virtual/rules_reviews.h"

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/resources/subresources/posted.h"
#include "json/print.h"

namespace proa::apiserver {
namespace rules_reviews {

void put_list(api::Edit object, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const api::Edit list = object.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(object.arena(), text));
}

void put_rules(api::Edit status, const RuleList& rules) {
  const api::Edit resources = status.array("resourceRules");
  for (const ResourceRule& rule : rules.resources) {
    const api::Edit entry = resources.push_object();
    put_list(entry, "verbs", rule.verbs);
    put_list(entry, "apiGroups", rule.groups);
    put_list(entry, "resources", rule.resources);
    put_list(entry, "resourceNames", rule.names);
  }
  const api::Edit paths = status.array("nonResourceRules");
  for (const PathRule& rule : rules.paths) {
    const api::Edit entry = paths.push_object();
    put_list(entry, "verbs", rule.verbs);
    put_list(entry, "nonResourceURLs", rule.paths);
  }
  status.set("incomplete", rules.incomplete);
  if (!rules.error.empty()) status.set("evaluationError", rules.error);
}

}  // namespace rules_reviews

Result<Answer> create_self_subject_rules_review(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const api::Type& type = *request.resource->type;
  const Posted posted = TRY(read_posted(context, type, call));
  const std::string name_space(posted.view()["spec"]["namespace"].text());
  if (name_space.empty()) return request.bad_request("no namespace on request");
  TRY(validate_posted(context, request, posted));
  RuleList rules;
  context.authorizer.list_rules(*request.user, name_space, rules);

  // As upstream, the response does not repeat the spec.
  json::Document document({}, json::Value::object());
  const api::Edit review(document);
  review.set("kind", type.name);
  review.set("apiVersion", type.group_version);
  rules_reviews::put_rules(review.object("status"), rules);
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(document), type, api::FieldValidation::kIgnore));
  return Answer{.code = 201, .object = api::Object::make(json::print(canonical.document.root()))};
}

}  // namespace proa::apiserver
