#pragma once

#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Whether JSON is indented for this client, as upstream decides: by ?pretty, else for browsers,
// curl and Wget.
bool wants_pretty(const http::RequestHead& head, const http::Target& target);

// Indents a JSON body. Slow for large ones.
void make_pretty(http::Response& response);

}  // namespace proa::apiserver
