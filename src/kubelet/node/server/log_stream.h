#pragma once

#include <stop_token>

#include "http/server/exchange.h"
#include "kubelet/node/server/log_request.h"

namespace proa::kubelet {

// Streams a log to the client, with backpressure. Blocks until the log ends, the client
// disconnects, or it is stopped.
void send_log(const http::ExchangePtr& exchange, LogText& log, const std::stop_token& stop);

}  // namespace proa::kubelet
