#pragma once

#include <memory>
#include <vector>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/quota/decision.h"
#include "apiserver/access/admission/quota/namespace_locks.h"

namespace proa::apiserver {

// Holds namespaces to their ResourceQuotas, exactly: what a write uses is added to the status of
// the quotas in the very commit that stores the object, which compares the quotas with what was
// read. So there is no moment at which an object is stored and not charged, or the other way round.
//
// What is limited stands in the spec. Upstream's admission goes by the status, which a controller
// fills in, and refuses until it has; here the first write that a quota limits works out what is
// used, from the store and in the same commit, and so does the first one after the spec changed.
// Deletions give nothing back: as upstream, that is left to the controller who recalculates.
class ResourceQuota final : public AdmissionPlugin, public WriteHook {
 public:
  // Fails when the configuration is no good ResourceQuotaConfiguration.
  static Result<std::unique_ptr<AdmissionPlugin>> make(const AdmissionContext& context);

  ResourceQuota(const AdmissionContext& context, quota::Configuration configuration);

  // All is done by the hook.
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
