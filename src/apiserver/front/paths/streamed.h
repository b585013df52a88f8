#pragma once

#include <functional>
#include <string>

#include "http/server/exchange.h"

namespace proa::apiserver {

// Appends about `bytes` of what follows; false if that was the end.
using NextPart = std::function<bool(std::string& out, size_t bytes)>;

// Streams a body as fast as the client reads it, tens of kilobytes at a time: memory use is small,
// and many large bodies do not delay other requests. `next` is called on the loop's thread. `done`
// gets the size of the body, on that thread, too; it is not called if the client disconnects first.
void answer_in_parts(const http::ExchangePtr& exchange, http::ResponseHead head, NextPart next,
                     std::function<void(size_t bytes)> done = {});

}  // namespace proa::apiserver
