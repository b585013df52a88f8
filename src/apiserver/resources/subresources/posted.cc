#include "apiserver/resources/subresources/posted.h"

#include "apiserver/access/admission/chain.h"

namespace proa::apiserver {

Result<void> check_posted_namespace(const Request& request, api::View document) {
  const std::string_view name_space = document["metadata"]["namespace"].text();
  if (name_space.empty() || name_space == request.name_space) return {};
  return Status(Reason::kBadRequest,
                "the namespace of the provided object does not match the namespace sent on the "
                "request");
}

Result<void> admit_posted(const ApiContext& context, const Request& request,
                          const WriteOptions& options, json::Document& document) {
  const Admission admission{.request = request,
                            .operation = Operation::kCreate,
                            .old = {},
                            .dry_run = options.dry_run,
                            .write = &options};
  TRY(context.admission.admit(api::Edit(document), admission));
  return context.admission.validate(document.root(), admission);
}

Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call) {
  const WriteOptions& options = call.write();
  Body body = TRY(read_body(call, type, context));
  TRY(check_posted_namespace(call.request, body.document.root()));
  context.defaulting.apply(api::Edit(body.document), type, &body.budget);
  TRY(body.budget.check());
  TRY(admit_posted(context, call.request, options, body.document));
  call.payload.budget = std::move(body.budget);
  return Posted{std::move(body.document), options};
}

Answer accepted(const ApiContext& context) {
  return {.code = 201,
          .json =
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
              "\"status\":\"Success\",\"code\":201}\n",
          .type = context.schema.find_kind("v1", "Status")};
}

}  // namespace proa::apiserver
