#pragma once

#include <stop_token>

#include "http/server/exchange.h"
#include "kubelet/node/server/log_request.h"

namespace proa::kubelet {

// Sends a log to whoever asked for it, no faster than they read. Waits; ends when the log does,
// when the reader has gone, or when it is stopped.
void send_log(const http::ExchangePtr& exchange, LogText& log, const std::stop_token& stop);

}  // namespace proa::kubelet
