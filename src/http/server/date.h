#pragma once

#include <string>

#include "base/time.h"

namespace proa::http {

// The format of header fields: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string format_http_date(Time time);
// The current second; formatted once per second and thread. Valid until the thread's next call.
const std::string& current_http_date();

}  // namespace proa::http
