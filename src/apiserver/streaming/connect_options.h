#pragma once

#include "apiserver/request/request.h"
#include "http/wire/url.h"
#include "json/value.h"

namespace proa::apiserver {

// The options of a connection, by the types of their subresources: PodExecOptions with the query's
// command, PodProxyOptions with the path. What admission sees of it.
json::Document connect_options(const Request& request, const http::Target& target);

}  // namespace proa::apiserver
