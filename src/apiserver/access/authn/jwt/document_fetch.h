#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/client/client.h"
#include "http/wire/url.h"

namespace proa::apiserver {

using DocumentDone = std::function<void(Result<std::string>)>;

// Gets a document, without waiting for it: `done` is called once, on a loop's thread, unless the
// call is cancelled. Redirects and everything else but 200 are failures, and so is a document of
// more than `limit` bytes. From any thread.
std::shared_ptr<http::ClientCall> fetch_document(http::Client& client, const http::Url& url,
                                                 size_t limit, DocumentDone done);

}  // namespace proa::apiserver
