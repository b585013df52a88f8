#pragma once

#include "kinds/rules.h"

// The client configuration of webhooks, and the review versions that they accept.

namespace proa::kinds {

// A WebhookClientConfig: a URL, or a service of the cluster.
void validate_webhook_client(View client, const api::Path& path, api::FieldErrors& errors);

// `required` is the message for an empty list.
void validate_review_versions(View versions, std::string_view required, const api::Path& path,
                              api::FieldErrors& errors);

}  // namespace proa::kinds
