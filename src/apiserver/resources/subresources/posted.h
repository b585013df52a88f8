#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

// What subresources have in common that are only posted to: they act on an object, and are not
// kept.

namespace proa::apiserver {

struct Posted {
  Body body;
  WriteOptions options;

  api::View view() const { return body.document.root(); }
};

// A document of that type, defaulted and admitted. A namespace in it must be that of the path.
Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call);
Result<void> admit_posted(const ApiContext& context, const Request& request,
                          const WriteOptions& options, Body& body);
Result<void> check_posted_namespace(const Request& request, api::View document);

// 201 and {"status":"Success"}: for those that have nothing else to say.
Answer accepted(const ApiContext& context, std::vector<std::string> warnings);

}  // namespace proa::apiserver
