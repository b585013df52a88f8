#pragma once

#include <functional>
#include <memory>

#include "apiserver/representation/list_message.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Streams a list as fast as the client reads it, tens of kilobytes at a time: memory use is small,
// and many large lists do not delay other requests. `done` is called with the size of the body, on
// the loop's thread; not if the client disconnects first.
void answer_list(const http::ExchangePtr& exchange, http::ResponseHead head,
                 std::unique_ptr<ListMessage> message, std::function<void(size_t bytes)> done);

}  // namespace proa::apiserver
