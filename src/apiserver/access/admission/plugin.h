#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/object/edit.h"
#include "api/validation/field_errors.h"
#include "apiserver/objects/reader.h"
#include "apiserver/objects/write_hook.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/metrics/metrics.h"
#include "base/net/ip_address.h"
#include "base/random.h"
#include "base/result.h"

namespace proa::apiserver {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

// "CREATE": the operation in messages, rules and reviews.
std::string_view operation_name(Operation operation);

class KeptManagers;
class Reinvocation;

// A write under admission. Objects are in the storage version, or in the subresource's own type
// (Binding, Eviction, TokenRequest, Scale).
struct Admission {
  const Request& request;
  Operation operation;
  api::View old;  // absent for a create
  bool dry_run = false;
  // One of them, or none.
  const WriteOptions* write = nullptr;
  const DeleteOptions* remove = nullptr;
  // Of mutating admission; null elsewhere.
  Reinvocation* reinvocation = nullptr;
  KeptManagers* managers = nullptr;

  // "pods", "" and "" for pods; "pods", "" and "status" for their status.
  bool is_about(std::string_view group, std::string_view resource,
                std::string_view subresource = "") const;
  // Adds to the audit events of the request; the first value of a key stays.
  void annotate(std::string_view key, std::string value) const;
  // What a webhook or a policy makes of the object takes its place.
  void replace(api::Edit object, const json::Value& by) const;
  // `pods "web" is forbidden: WHY`, as upstream; `object` may be absent.
  Status forbidden(api::View object, std::string_view why) const;
  // `ResourceClaim.resource.k8s.io "a" is invalid: spec.x: WHY`. REQUIRES: there are errors.
  Status invalid(api::View object, const api::FieldErrors& errors) const;
};

// Mutates and validates writes before they are stored. Blocks no longer than a store read. Called
// from any worker thread. To add one: a unit, and a line in admission/plugins.cc.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  virtual bool concerns(const Admission& admission) const = 0;
  // `object` is as sent by the client, with defaults. Not called for deletions.
  virtual Result<void> admit(api::Edit object, const Admission& admission) {
    (void)object;
    (void)admission;
    return {};
  }
  // The same for deletions, which have no object to change.
  virtual Result<void> admit_deletion(const Admission& admission) {
    (void)admission;
    return {};
  }
  // `object` is as it will be stored; absent for deletions.
  virtual Result<void> validate(api::View object, const Admission& admission) {
    (void)object;
    (void)admission;
    return {};
  }
  // Writes that accompany the object in its transaction; null: none.
  virtual WriteHook* hook() { return nullptr; }
  // Its own metrics.
  virtual void write_metrics(MetricsText& text) const { (void)text; }
};

// A plugin by the name under which it is enabled.
struct NamedPlugin {
  std::string_view name;
  std::unique_ptr<AdmissionPlugin> plugin;
};

class AdmissionMetrics;
class Authorizer;
class HookCaller;
class HookCredentials;
class PolicyParams;

// The dependencies of plugins. All outlive them.
struct AdmissionContext {
  store::Store& store;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  Authorizer& authorizer;
  AdmissionMetrics& metrics;
  PolicyParams& params;
  // Calls the webhooks of configurations; null: this server calls none.
  HookCaller* hooks = nullptr;
  // What nodes may choose their pods' addresses from; empty: anything that no other node has.
  std::span<const IpPrefix> pod_ranges = {};
  // The plugin's section of `--admission-control-config-file`; may be absent.
  api::View configuration = {};
  // For the plugin's webhooks; null: none.
  std::shared_ptr<const HookCredentials> credentials = nullptr;
};

}  // namespace proa::apiserver
