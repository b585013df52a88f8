#include "apiserver/resources/call/context.h"

#include "apiserver/access/admission/chain.h"
#include "apiserver/objects/catalogue/catalogue.h"

namespace proa::apiserver {

ResourcePtr find_resource(const ApiContext& context, std::string_view group,
                          std::string_view version, std::string_view name) {
  if (context.catalogue != nullptr) return context.catalogue->find(group, version, name);
  return context.schema.find_resource(group, version, name);
}

Budget budget_of(const ApiContext& context, const Request& request) {
  Budget budget = context.request_memory == nullptr ? Budget() : Budget(*context.request_memory);
  budget.end_with(request.until, context.clock);
  return budget;
}

ApiContext without_admission(const ApiContext& context) {
  static const AdmissionChain kNone;
  return {.store = context.store,
          .schema = context.schema,
          .defaulting = context.defaulting,
          .clock = context.clock,
          .random = context.random,
          .hooks = context.hooks,
          .admission = kNone,
          .authorizer = context.authorizer,
          .catalogue = context.catalogue,
          .bearer_tokens = context.bearer_tokens,
          .tokens = context.tokens,
          .max_object_bytes = context.max_object_bytes,
          .request_memory = context.request_memory};
}

}  // namespace proa::apiserver
