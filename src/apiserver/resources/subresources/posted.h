#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

// Shared by create-only subresources, which act on an object and are not stored.

namespace proa::apiserver {

struct Posted {
  json::Document document;
  WriteOptions options;

  api::View view() const { return document.root(); }
};

// Decodes, defaults and admits a document of that type. Its namespace, if any, must be the path's.
Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call);
Result<void> admit_posted(const ApiContext& context, const Request& request,
                          const WriteOptions& options, json::Document& document);
Result<void> check_posted_namespace(const Request& request, api::View document);

// 201 and {"status":"Success"}, for subresources without another result.
Answer accepted(const ApiContext& context);

}  // namespace proa::apiserver
