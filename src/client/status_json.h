#pragma once

#include <string_view>

#include "api/object/view.h"
#include "base/status.h"

namespace proa::client {

// A metav1.Status with status "Failure", as the failure that it tells of. What it leaves out
// follows from `code`, where that is known.
Status status_from(api::View status, int code = 0);

// What an answer with that code means: the Status in its body, or, where somebody else answered (a
// proxy, a load balancer), one made of the code and the first words of the body.
Status status_from_answer(int code, std::string_view body, std::string_view retry_after);

// Seconds of a Retry-After field; 0 for none, and for dates, which nobody sends here.
int retry_after_seconds(std::string_view field);

}  // namespace proa::client
