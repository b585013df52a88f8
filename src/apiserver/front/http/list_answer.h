#pragma once

#include <functional>
#include <memory>

#include "apiserver/representation/list_message.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Sends a list as the client takes it, some tens of kilobytes at a time: a list then costs little
// memory, and many large ones do not hold up others. `done` is told how long the list was, on the
// loop's thread; not called when the client goes away before.
void answer_list(const http::ExchangePtr& exchange, http::ResponseHead head,
                 std::unique_ptr<ListMessage> message, std::function<void(size_t bytes)> done);

}  // namespace proa::apiserver
