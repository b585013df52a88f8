#pragma once

#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Whether JSON is indented for this client, as upstream decides: by ?pretty, else for browsers,
// curl and Wget.
bool wants_pretty(const http::RequestHead& head, const http::Target& target);

// Larger bodies are not indented, and neither are those that would become much larger by it.
constexpr size_t kMostPretty = size_t{2} * 1024 * 1024;

// Indents a JSON body. Slow for large ones.
void make_pretty(http::Response& response);

}  // namespace proa::apiserver
