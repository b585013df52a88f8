#pragma once

#include "apiserver/front/http/watch_stream.h"
#include "base/random.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Serves a watch as a streamed response body (chunked, HTTP/2 data, or until close), or over a
// WebSocket if the client requests one. On the exchange's loop.
void answer_watch(const http::ExchangePtr& exchange, store::Store& store, WatchPlan plan,
                  Random& random);

}  // namespace proa::apiserver
