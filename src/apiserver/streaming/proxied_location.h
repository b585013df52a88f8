#pragma once

#include <string>
#include <string_view>

#include "apiserver/streaming/destination.h"

namespace proa::apiserver {

// Rewrites the Location of a proxied response so that it leads through the proxy again: absolute
// paths of the backend get the proxy's prefix. Other hosts and relative paths are unchanged. `host`
// is the client's Host field.
std::string proxied_location(std::string_view location, const Destination& proxy,
                             std::string_view host);

}  // namespace proa::apiserver
