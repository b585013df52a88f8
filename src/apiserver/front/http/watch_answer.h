#pragma once

#include "apiserver/front/http/watch_stream.h"
#include "base/random.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Answers a watch in the body of its answer (chunked, as HTTP/2 data, or until the connection is
// closed), or over a WebSocket where the client asks for one. On the exchange's loop.
void answer_watch(const http::ExchangePtr& exchange, store::Store& store, WatchPlan plan,
                  Random& random);

}  // namespace proa::apiserver
