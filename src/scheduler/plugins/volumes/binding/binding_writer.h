#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "scheduler/framework/context.h"
#include "scheduler/plugins/volumes/binding/change_notifier.h"
#include "scheduler/plugins/volumes/binding/storage_state.h"

namespace proa::scheduler {

// The assumed bindings of a pod: volumes with a claimRef, claims with a selected node.
struct Reservation {
  api::NodeName node = {};
  VolumeBindings bindings = {};
  // How many of them are written: first those to bind, then those to provision. Only changed by the
  // writing thread.
  std::atomic<size_t> written = 0;
};

// Writes the assumed bindings and waits until the claims are bound. Thread-safe, for several pods
// at once.
class BindingWriter {
 public:
  // Watches informers that are not started yet. `timeout`: for waiting, after everything is
  // written.
  BindingWriter(const PluginContext& context, Duration timeout);

  Result<void> bind(const Pod& pod, Reservation& reservation, const Until& until);

 private:
  // Versions of the written objects: older states are ignored.
  struct Versions {
    std::vector<int64_t> volumes = {};
    std::vector<int64_t> claims = {};
  };
  Result<Versions> write(Reservation& reservation, const Until& until);
  Result<void> wait(const Pod& pod, const Reservation& reservation, const Versions& versions,
                    const Until& until);
  // False: not yet. An error is final.
  Result<bool> are_bound(const Pod& pod, const Reservation& reservation,
                         const Versions& versions) const;
  Result<bool> is_volume_bound(const VolumeBindings::Pair& pair, int64_t version,
                               const api::Metadata& node) const;
  Result<bool> is_provisioned(const api::Object& claim, int64_t version,
                              const api::Metadata& node) const;
  Result<void> check_place(const api::Object& volume, const api::Metadata& node) const;
  Result<api::ObjectPtr> volume_now(std::string_view name) const;
  Result<api::ObjectPtr> claim_now(const api::Object& claim) const;
  void follow(client::Informers& informers);

  client::Client& client_;
  Clock& clock_;
  const Duration timeout_;
  const api::Resource& volume_resource_;
  const api::Resource& claim_resource_;
  const client::Cache& volumes_;
  const client::Cache& claims_;
  const client::Cache& csi_nodes_;
  const client::Cache& nodes_;
  const client::Cache& pods_;
  // Shared with the handlers, which may outlive this.
  const std::shared_ptr<ChangeNotifier> notifier_;
};

}  // namespace proa::scheduler
