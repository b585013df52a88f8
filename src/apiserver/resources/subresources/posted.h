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

// Decodes, defaults and admits a document of that type. Its namespace becomes the path's; another
// one is refused.
Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call);
// Validating admission, which sees what the server made of the document.
Result<void> validate_posted(const ApiContext& context, const Request& request,
                             const Posted& posted);

// 201 and {"status":"Success"}, for subresources without another result.
Answer accepted(const ApiContext& context);

}  // namespace proa::apiserver
