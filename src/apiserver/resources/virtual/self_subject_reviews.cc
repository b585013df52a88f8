#include "apiserver/resources/virtual/self_subject_reviews.h"

#include "apiserver/resources/subresources/posted.h"
#include "json/print.h"

namespace proa::apiserver {
namespace self_subject_reviews {

void put_list(api::Edit object, std::string_view name, const std::vector<std::string>& texts) {
  const api::Edit list = object.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(object.arena(), text));
}

void put_user(api::Edit info, const User& user) {
  info.set("username", user.name);
  if (!user.uid.empty()) info.set("uid", user.uid);
  put_list(info, "groups", user.groups);
  for (const auto& [key, values] : user.extra) put_list(info.object("extra"), key, values);
}

}  // namespace self_subject_reviews

Result<Answer> create_self_subject_review(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const api::Type& type = *request.resource->type;
  // The content is ignored, but must be valid.
  const Posted posted = TRY(read_posted(context, type, call));
  TRY(validate_posted(context, request, posted));
  json::Document document({}, json::Value::object());
  const api::Edit review(document);
  review.set("kind", type.name);
  review.set("apiVersion", type.group_version);
  review.object("metadata").set("creationTimestamp", format_time(context.clock.now()));
  self_subject_reviews::put_user(review.object("status").object("userInfo"), *request.user);
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(document), type, api::FieldValidation::kIgnore));
  return Answer{.code = 201, .object = api::Object::make(json::print(canonical.document.root()))};
}

}  // namespace proa::apiserver
