#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "crypto/certificate_request.h"

// CertificateSigningRequests as those see them who approve and sign.

namespace proa::client {

// To be added to the status of a request, by its approval or status subresource, which fill in the
// times.
struct RequestCondition {
  std::string_view type;  // "Approved", "Failed"; its status is "True"
  std::string_view reason;
  std::string message;
};

struct RequestVerdict {
  bool approved = false;  // both may have been said
  bool denied = false;
  bool failed = false;
};
RequestVerdict request_verdict_of(api::View object);

bool has_certificate(api::View object);
std::vector<std::string_view> usages_of(api::View object);
// The request that it carries.
Result<crypto::CertificateRequest> request_of(api::View object);

}  // namespace proa::client
