#pragma once

#include "kinds/rules.h"

// How a webhook is reached, and which versions of a review it understands.

namespace proa::kinds {

// A WebhookClientConfig: a URL, or a service of the cluster.
void validate_webhook_client(View client, const api::Path& path, api::FieldErrors& errors);

// `required` is what is said where there are none.
void validate_review_versions(View versions, std::string_view required, const api::Path& path,
                              api::FieldErrors& errors);

}  // namespace proa::kinds
