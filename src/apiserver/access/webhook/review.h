#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/schema/model.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::apiserver {

// One kind of question that webhooks answer.
struct ReviewKind {
  std::string_view group;
  std::string_view kind;
  std::string_view status_type;   // of version v1, by its OpenAPI name
  std::string_view empty_status;  // what is sent for the webhook to fill in, as JSON
};

// Reviews of one kind, answered by one webhook: they go out with a spec and come back with a
// status.
class Reviews {
 public:
  // `version`: what is sent and what must come back, "v1" or "v1beta1".
  Reviews(std::unique_ptr<WebhookClient> client, const ReviewKind& kind, std::string_view version);

  // The status, decoded: what is there has the kind that it must have. Not on a loop's thread.
  Result<json::Document> ask(const json::Value& spec);
  WebhookClient& client() { return *client_; }

 private:
  Result<json::Document> read_answer(std::string_view text) const;

  const std::unique_ptr<WebhookClient> client_;
  const std::string kind_;
  const std::string api_version_;
  const std::string empty_status_;
  const api::Type& status_type_;
};

}  // namespace proa::apiserver
