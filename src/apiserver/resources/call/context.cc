#include "apiserver/resources/call/context.h"

#include "apiserver/access/admission/chain.h"

namespace proa::apiserver {

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
          .bearer_tokens = context.bearer_tokens,
          .tokens = context.tokens,
          .max_object_bytes = context.max_object_bytes,
          .request_memory = context.request_memory};
}

}  // namespace proa::apiserver
