#pragma once

#include <functional>
#include <string>
#include <vector>

#include "http/net/endpoint.h"
#include "http/net/loop.h"

namespace proa::http {

// Resolves a host name on libuv's threads. Loop thread only; `done` is called on it later. An IP
// address resolves to itself.
void resolve(Loop& loop, const std::string& host, int port,
             std::function<void(Result<std::vector<Endpoint>>)> done);

}  // namespace proa::http
