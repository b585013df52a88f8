#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "crypto/certificate_request.h"

// CertificateSigningRequests as read by approvers and signers.

namespace proa::client {

// A condition to add to a request's status, by its approval or status subresource, which set the
// times.
struct RequestCondition {
  std::string_view type;  // "Approved", "Failed"; its status is "True"
  std::string_view reason;
  std::string message;
};

struct RequestVerdict {
  bool approved = false;  // may be set together with `denied`
  bool denied = false;
  bool failed = false;
};
RequestVerdict request_verdict_of(api::View object);

bool has_certificate(api::View object);
std::vector<std::string_view> usages_of(api::View object);
// The parsed spec.request.
Result<crypto::CertificateRequest> request_of(api::View object);

}  // namespace proa::client
