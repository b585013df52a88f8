#include "apiserver/resources/virtual/token_reviews.h"

#include "apiserver/access/authn/bearer_tokens.h"
#include "apiserver/resources/subresources/posted.h"
#include "base/check.h"
#include "json/print.h"

namespace proa::apiserver {
namespace token_reviews {

using api::Edit;
using api::View;

void put_list(Edit object, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const Edit list = object.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(object.arena(), text));
}

void put_user(Edit info, const User& user) {
  info.set("username", user.name);
  if (!user.uid.empty()) info.set("uid", user.uid);
  put_list(info, "groups", user.groups);
  for (const auto& [key, values] : user.extra) put_list(info.object("extra"), key, values);
}

void put_answer(Edit status, const Result<TokenAnswerPtr>& answer) {
  if (!answer) {
    status.set("error", answer.status().message());
    return;
  }
  if (*answer == nullptr) return;
  const TokenIdentity& identity = (*answer)->identity;
  status.set("authenticated", true);
  put_user(status.object("user"), *identity.user);
  put_list(status, "audiences", identity.audiences);
}

}  // namespace token_reviews

Result<Answer> create_token_review(const ApiContext& context, Call& call) {
  CHECK(context.bearer_tokens != nullptr);
  using namespace token_reviews;
  const Request& request = call.request;
  const api::Type& type = *request.resource->type;
  Posted posted = TRY(read_posted(context, type, call));
  const View spec = posted.view()["spec"];
  const std::string token(spec["token"].text());
  if (token.empty()) {
    return Status(Reason::kBadRequest, "token is required for TokenReview in authentication");
  }
  TRY(validate_posted(context, request, posted));
  std::vector<std::string> audiences;
  for (const View audience : spec["audiences"].items()) audiences.emplace_back(audience.text());
  const Result<TokenAnswerPtr> answer = context.bearer_tokens->review(token, std::move(audiences));

  const Edit review(posted.document);
  review.remove("status");
  put_answer(review.object("status"), answer);
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(posted.document), type, api::FieldValidation::kIgnore));
  return Answer{.code = 201, .object = api::Object::make(json::print(canonical.document.root()))};
}

}  // namespace proa::apiserver
