#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/client/client.h"
#include "http/wire/url.h"

namespace proa::apiserver {

using DocumentDone = std::function<void(Result<std::string>)>;

// Fetches a document asynchronously: `done` is called once, on a loop thread, unless the call is
// cancelled. Redirects, any status but 200 and bodies of more than `limit` bytes are failures.
// Thread-safe.
std::shared_ptr<http::ClientCall> fetch_document(http::Client& client, const http::Url& url,
                                                 size_t limit, DocumentDone done);

}  // namespace proa::apiserver
