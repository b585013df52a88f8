#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "api/schema/schema.h"
#include "apiserver/objects/write_hook.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/random.h"
#include "kinds/defaulting.h"
#include "store/store.h"

namespace proa::apiserver {

class AdmissionChain;
class Authorizer;
class BearerTokens;
class ServiceAccountTokens;

// What all verbs need. Everything outlives it.
struct ApiContext {
  store::Store& store;
  const api::Schema& schema;
  const kinds::Defaulting& defaulting;
  const Clock& clock;
  Random& random;
  std::span<WriteHook* const> hooks;
  const AdmissionChain& admission;
  Authorizer& authorizer;
  BearerTokens* bearer_tokens = nullptr;         // null: nobody can be asked about them
  const ServiceAccountTokens* tokens = nullptr;  // null: none are issued
};

// For changes that follow from one that was admitted already: a pod that is bound, or evicted.
ApiContext without_admission(const ApiContext& context);

// An answer to a write.
struct Written {
  api::ObjectPtr object;  // in the stored form
  bool created = false;
  std::vector<std::string> warnings;
};

}  // namespace proa::apiserver
