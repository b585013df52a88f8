#pragma once

#include <string>

#include "http/server/exchange.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// A response with metrics in Prometheus' text format, with the headers of upstream's handler: it
// names the escaping of names that the client prefers, since none of ours needs any, and when this
// process began.
http::Response exposition(const http::RequestHead& head, std::string text);

}  // namespace proa::apiserver
