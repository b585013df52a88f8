#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "api/schema/schema.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/random.h"
#include "kinds/defaulting.h"
#include "store/store.h"

namespace proa::apiserver {

// One write on its way into the store, as hooks see it.
struct Step {
  const Request& request;
  api::View old;    // absent for a create
  store::Txn& txn;  // what goes with the object, in the same commit
  bool dry_run = false;
};

// What a write of some resource takes with it: an address that is reserved, a record that is kept.
// It happens in the object's own commit, so that neither exists without the other. A commit that
// others were faster than is tried again, from the hook on.
class WriteHook {
 public:
  virtual ~WriteHook() = default;
  virtual bool concerns(const api::Resource& resource) const = 0;
  // `object` may still be changed.
  virtual Result<void> on_write(api::Edit object, const Step& step) = 0;
  virtual Result<void> on_delete(api::View object, const Step& step) = 0;
};

class ServiceAccountTokens;

// What all verbs need. Everything outlives it.
struct ApiContext {
  store::Store& store;
  const api::Schema& schema;
  const kinds::Defaulting& defaulting;
  const Clock& clock;
  Random& random;
  std::span<WriteHook* const> hooks;
  const ServiceAccountTokens* tokens = nullptr;  // null: none are issued
  // Which other components run in this process: "scheduler".
  std::span<const std::string_view> components = {};
};

// An answer to a write.
struct Written {
  api::ObjectPtr object;  // in the stored form
  bool created = false;
  std::vector<std::string> warnings;
};

}  // namespace proa::apiserver
