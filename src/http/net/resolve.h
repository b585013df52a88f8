#pragma once

#include <functional>
#include <string>
#include <vector>

#include "http/net/endpoint.h"
#include "http/net/loop.h"

namespace proa::http {

// Looks a host name up, once, on libuv's own threads. Loop thread only; `done` is called on it
// later. An IP address answers itself.
void resolve(Loop& loop, const std::string& host, int port,
             std::function<void(Result<std::vector<Endpoint>>)> done);

}  // namespace proa::http
