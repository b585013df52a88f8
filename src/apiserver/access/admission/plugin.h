#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/edit.h"
#include "apiserver/objects/reader.h"
#include "apiserver/objects/write_hook.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace proa::apiserver {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

// A change on its way into the store, as admission sees it. Objects are in the stored version; of a
// subresource with a type of its own (Binding, Eviction, TokenRequest, Scale) in that type.
struct Admission {
  const Request& request;
  Operation operation;
  api::View old;  // absent for a create
  bool dry_run = false;
  std::vector<std::string>& warnings;

  // "pods", "" and "" of pods; "pods", "" and "status" of their status.
  bool is_about(std::string_view group, std::string_view resource,
                std::string_view subresource = "") const;
  // `pods "web" is forbidden: WHY`, in upstream's words; `object` may be absent.
  Status forbidden(api::View object, std::string_view why) const;
};

// Looks at changes before they are stored: may complete the object, then, when it is whole and
// valid, may refuse it. Blocks no longer than a look into the store takes. Called from any worker.
// Adding one: a unit, and a line in admission/plugins.cc.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  virtual bool concerns(const Admission& admission) const = 0;
  // `object`: as the client sent it, with defaults; not called for deletions.
  virtual Result<void> admit(api::Edit object, const Admission& admission) {
    (void)object;
    (void)admission;
    return {};
  }
  // `object` is as it will be stored; absent for deletions.
  virtual Result<void> validate(api::View object, const Admission& admission) {
    (void)object;
    (void)admission;
    return {};
  }
  // What goes into the store with the object, if there is such a thing.
  virtual WriteHook* hook() { return nullptr; }
};

class Authorizer;

// What plugins are made with. Everything outlives them.
struct AdmissionContext {
  store::Store& store;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  Authorizer& authorizer;
  // What `--admission-control-config-file` says of that plugin; absent: nothing.
  api::View configuration = {};
};

}  // namespace proa::apiserver
