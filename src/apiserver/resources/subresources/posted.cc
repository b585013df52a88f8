#include "apiserver/resources/subresources/posted.h"

#include "apiserver/access/admission/chain.h"
#include "apiserver/resources/write/preconditions.h"

namespace proa::apiserver {

namespace posted {

Admission admission_of(const Request& request, const WriteOptions& options) {
  return {.request = request,
          .operation = Operation::kCreate,
          .old = {},
          .dry_run = options.dry_run,
          .write = &options};
}

}  // namespace posted

Result<Posted> read_posted(const ApiContext& context, const api::Type& type, Call& call) {
  const WriteOptions& options = call.write();
  Body body = TRY(read_body(call, type, context));
  const api::Edit document(body.document);
  TRY(settle_namespace(call.request, document));
  context.defaulting.apply(document, type, &body.budget);
  TRY(body.budget.check());
  TRY(context.admission.admit(document, posted::admission_of(call.request, options)));
  call.payload.budget = std::move(body.budget);
  return Posted{std::move(body.document), options};
}

Result<void> validate_posted(const ApiContext& context, const Request& request,
                             const Posted& posted) {
  return context.admission.validate(posted.view(), posted::admission_of(request, posted.options));
}

Answer accepted(const ApiContext& context) {
  return {.code = 201,
          .json =
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
              "\"status\":\"Success\",\"code\":201}\n",
          .type = context.schema.find_kind("v1", "Status")};
}

}  // namespace proa::apiserver
