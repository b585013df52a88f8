#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "api/schema/schema.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/objects/write_hook.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/cost/budget.h"
#include "base/cost/memory_pool.h"
#include "base/random.h"
#include "kinds/defaulting.h"
#include "store/store.h"

namespace proa::apiserver {

class AdmissionChain;
class Authorizer;
class BearerTokens;
class Catalogue;
class HealthChecks;
class ServiceAccountTokens;

// The dependencies of all verbs. All outlive it.
struct ApiContext {
  store::Store& store;
  const api::Schema& schema;
  const kinds::Defaulting& defaulting;
  const Clock& clock;
  Random& random;
  std::span<WriteHook* const> hooks;
  const AdmissionChain& admission;
  Authorizer& authorizer;
  Catalogue* catalogue = nullptr;                // null: built-in resources only
  BearerTokens* bearer_tokens = nullptr;         // null: TokenReviews are not served
  const ServiceAccountTokens* tokens = nullptr;  // null: no tokens are issued
  const HealthChecks* health = nullptr;          // null: none
  size_t max_object_bytes = kDefaultMaxObjectBytes;
  MemoryPool* request_memory = nullptr;  // of requests that need much; null: unlimited
};

// Null if it is not served.
ResourcePtr find_resource(const ApiContext& context, std::string_view group,
                          std::string_view version, std::string_view name);

// What work on one document of a request may cost; it ends with the request.
Budget budget_of(const ApiContext& context, const Request& request);

// For writes that follow from an admitted one, such as binding or evicting a pod.
ApiContext without_admission(const ApiContext& context);

// The result of a write.
struct Written {
  api::ObjectPtr object;  // in the stored version
  bool created = false;
};

}  // namespace proa::apiserver
