#pragma once

#include <memory>
#include <vector>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/quota/decision.h"
#include "apiserver/access/admission/quota/namespace_locks.h"

namespace proa::apiserver {

// Enforces ResourceQuotas exactly: the usage of a write is added to the quotas' status in the same
// commit that stores the object, and that commit fails if a quota has changed since it was read. So
// objects and usage are never out of step.
//
// Limits are read from the spec. Upstream's admission reads them from the status, which a
// controller fills in, and rejects writes until then. Here the first write that a quota limits
// computes the usage from the store, in the same commit; so does the first one after a change of
// the spec. Deletions do not release usage: as upstream, the controller recalculates it.
class ResourceQuota final : public AdmissionPlugin, public WriteHook {
 public:
  // Fails if the configuration is not a valid ResourceQuotaConfiguration.
  static Result<std::unique_ptr<AdmissionPlugin>> make(const AdmissionContext& context);

  ResourceQuota(const AdmissionContext& context, quota::Configuration configuration);

  // The hook does all the work.
  bool concerns(const Admission&) const override { return false; }
  WriteHook* hook() override { return this; }

  bool concerns(const api::Resource& resource) const override;
  bool changes_objects() const override { return false; }
  Result<void> on_write(api::Edit object, const Step& step) override;
  Result<void> on_delete(api::View, const Step&) override { return {}; }

 private:
  struct Stored;

  Result<std::vector<Stored>> read_quotas(const Step& step) const;
  Result<std::vector<Stored>> read_and_lock(const quota::Demand& demand, const Step& step);
  Result<void> settle(Stored& stored, const Step& step, const quota::ClusterObjects& cluster) const;
  Result<void> charge(std::vector<Stored> quotas, const std::vector<quota::Amounts>& charges,
                      store::Txn& txn) const;

  store::Store& store_;
  const api::Schema& schema_;
  const Clock& clock_;
  const api::Resource& resource_;  // resourcequotas
  const quota::Configuration configuration_;
  quota::NamespaceLocks locks_;
};

}  // namespace proa::apiserver
