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
                          const WriteOptions& options, Body& body) {
  const Admission admission{.request = request,
                            .operation = Operation::kCreate,
                            .old = {},
                            .dry_run = options.dry_run,
                            .warnings = body.warnings};
  TRY(context.admission.admit(api::Edit(body.document), admission));
  return context.admission.validate(body.document.root(), admission);
}

Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call) {
  const WriteOptions& options = call.write();
  Body body = TRY(decode_body(call.payload, type, context.schema, options.validation));
  TRY(check_posted_namespace(call.request, body.document.root()));
  context.defaulting.apply(api::Edit(body.document), type, &body.budget);
  TRY(body.budget.check());
  TRY(admit_posted(context, call.request, options, body));
  return Posted{std::move(body), options};
}

Answer accepted(const ApiContext& context, std::vector<std::string> warnings) {
  return {.code = 201,
          .json =
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
              "\"status\":\"Success\",\"code\":201}\n",
          .type = context.schema.find_kind("v1", "Status"),
          .warnings = std::move(warnings)};
}

}  // namespace proa::apiserver
