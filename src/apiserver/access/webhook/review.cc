#include "apiserver/access/webhook/review.h"

#include "api/codec/json/decode.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace review {

const api::Type& type_named(std::string_view openapi) {
  const api::Type* type = api::builtin_schema().find_openapi(openapi);
  CHECK(type != nullptr);
  return *type;
}

// For fields that a response may omit but not change.
bool is_absent_or(const api::View& value, std::string_view wanted) {
  return !value.exists() || value.text() == wanted;
}

}  // namespace review

Reviews::Reviews(std::unique_ptr<WebhookClient> client, const ReviewKind& kind,
                 std::string_view version)
    : client_(std::move(client)),
      kind_(kind.kind),
      api_version_(std::string(kind.group) + "/" + std::string(version)),
      empty_status_(kind.empty_status),
      status_type_(review::type_named(kind.status_type)) {}

Result<json::Document> Reviews::ask(const json::Value& spec,
                                    std::vector<WebhookAttempt>* attempts) {
  std::string question =
      R"({"kind":")" + kind_ + R"(","apiVersion":")" + api_version_ + R"(","metadata":{},"spec":)";
  json::print_to(question, spec);
  question += ",\"status\":" + empty_status_ + "}\n";
  const Bytes answer = TRY(client_->post(Bytes(std::move(question)), attempts));
  Result<json::Document> status = read_answer(answer.view());
  if (!status) {
    if (attempts != nullptr) attempts->back().is = WebhookAttempt::Is::kFailed;
    return Status(Reason::kServiceUnavailable, "webhook " + client_->name() +
                                                   " did not return a valid " + kind_ + ": " +
                                                   status.status().message());
  }
  return status;
}

// Decodes only the status: an error about another part could repeat the token in the spec.
Result<json::Document> Reviews::read_answer(std::string_view text) const {
  const json::Document document = TRY(json::parse(text));
  const api::View review = document.root();
  if (!review.is(json::Kind::kObject)) return Status(Reason::kBadRequest, "expected a JSON object");
  if (!review::is_absent_or(review["kind"], kind_) ||
      !review::is_absent_or(review["apiVersion"], api_version_)) {
    return Status(Reason::kBadRequest, "kind or apiVersion does not match " + api_version_);
  }
  json::Document status({}, json::Value::object());
  if (review["status"].exists()) status.root() = review["status"].value()->copy(status.arena());
  api::Decoded decoded =
      TRY(api::decode_document(std::move(status), status_type_, api::FieldValidation::kIgnore));
  return std::move(decoded.document);
}

}  // namespace proa::apiserver
