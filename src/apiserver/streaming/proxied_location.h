#pragma once

#include <string>
#include <string_view>

#include "apiserver/streaming/destination.h"

namespace proa::apiserver {

// A Location field of a server behind a proxy, so that whoever follows it comes by here again: a
// path of that server gets the proxy's in front. Other servers, and paths that are relative, stay
// as they are. `host` is how the client named us.
std::string proxied_location(std::string_view location, const Destination& proxy,
                             std::string_view host);

}  // namespace proa::apiserver
