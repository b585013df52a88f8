#pragma once

#include "kinds/rules.h"

// The client configuration of webhooks, and the review versions that they accept.

namespace proa::kinds {

// A WebhookClientConfig: a URL, or a service of the cluster.
void validate_webhook_client(View client, const api::Path& path, api::FieldErrors& errors);

// Why a bundle of certificates (base64 of PEM) cannot be used, in the words of client-go; empty: it
// can.
std::string ca_bundle_problem(std::string_view bundle);
// That of a WebhookClientConfig, if it has one.
void validate_ca_bundle(View client, const api::Path& path, api::FieldErrors& errors);

// `required` is the message for an empty list. `known`: whether one that we know must be in it.
void validate_review_versions(View versions, std::string_view required, const api::Path& path,
                              api::FieldErrors& errors, bool known = true);

}  // namespace proa::kinds
