#pragma once

#include <string_view>

#include "api/object/view.h"
#include "base/status.h"

namespace proa::client {

// Converts a metav1.Status with status "Failure". Missing fields are derived from `code`, if given.
Status status_from(api::View status, int code = 0);

// Converts an error response: the Status in its body, or, for responses of other servers (a proxy,
// a load balancer), one made from the code and the beginning of the body.
Status status_from_answer(int code, std::string_view body, std::string_view retry_after);

// Seconds of a Retry-After field; 0 for none, and for dates, which Kubernetes servers do not send.
int retry_after_seconds(std::string_view field);

}  // namespace proa::client
