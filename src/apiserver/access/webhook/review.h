#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/schema/model.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::apiserver {

// One kind of review.
struct ReviewKind {
  std::string_view group;
  std::string_view kind;
  std::string_view status_type;   // OpenAPI name of the v1 type
  std::string_view empty_status;  // JSON sent for the webhook to fill in
};

// Sends reviews of one kind to one webhook: requests carry a spec, responses a status.
class Reviews {
 public:
  // `version` of the request and of the expected response: "v1" or "v1beta1".
  Reviews(std::unique_ptr<WebhookClient> client, const ReviewKind& kind, std::string_view version);

  // Returns the decoded status; its fields have the right types. The last of `attempts` has failed
  // if the answer is not valid. REQUIRES: not on a loop thread.
  Result<json::Document> ask(const json::Value& spec,
                             std::vector<WebhookAttempt>* attempts = nullptr);
  WebhookClient& client() const { return *client_; }

 private:
  Result<json::Document> read_answer(std::string_view text) const;

  const std::unique_ptr<WebhookClient> client_;
  const std::string kind_;
  const std::string api_version_;
  const std::string empty_status_;
  const api::Type& status_type_;
};

}  // namespace proa::apiserver
