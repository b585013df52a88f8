#pragma once

#include "api/object/names.h"
#include "controllers/framework/claim.h"
#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/pods/pod_control.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// The queue key of a pod whose job is gone: the tracking finalizer must be removed. Distinct from
// the keys of jobs.
client::Key orphan_key(const api::PodKey& pod);
// Nullopt if it is the key of a job.
std::optional<api::PodKey> pod_of_orphan_key(const client::Key& key);

// Adopts, releases and deletes the pods of jobs. A pod gets the tracking finalizer when it is
// adopted and loses it when it is released.
class PodOwnership {
 public:
  // Everything outlives it. `freshness` records the writes to pods.
  PodOwnership(const ControllerContext& context, Freshness& freshness);

  // The pods of the job: matching orphans are adopted, pods that no longer match are released.
  // Fails if one of these writes fails.
  Result<std::vector<api::ObjectPtr>> gather(const Owner& job, const api::LabelSelector& selector);
  std::vector<api::ObjectPtr> owned_by(const api::Object& job) const;

  // Deletes a pod, which stays until it is counted. kConflict if it has changed: it may have ended.
  Result<void> stop(const Owner& job, const api::Object& pod);
  // Deletes a pod that must not be counted.
  Result<void> withdraw(const Owner& job, const api::Object& pod);
  // Removes the finalizer of a counted pod. `only_at`: only at this resourceVersion; empty: any.
  Result<void> remove_finalizer(const client::Key& job, const api::Object& pod,
                                std::string_view only_at = {});
  // Removes the finalizer of a pod that has no job or a finished one.
  Result<void> remove_orphan_finalizer(const api::PodKey& pod);

 private:
  Result<bool> may_adopt(const Owner& job) const;
  Result<api::ObjectPtr> adopt(const Owner& job, const api::Object& pod);
  Result<void> release(const Owner& job, const api::Object& pod);
  Result<bool> is_orphan(const api::Object& pod) const;
  Result<bool> is_gone(const client::Key& job, std::string_view uid, const api::Object& pod) const;
  Result<api::ObjectPtr> patch(const api::Object& pod, json::Document change);

  const client::BoundedClient client_;
  const api::Resource& pods_resource_;
  const api::Resource& jobs_resource_;
  client::Informer& pods_;
  client::Informer& jobs_;
  PodControl control_;
  Freshness& freshness_;
};

}  // namespace proa::controllers::jobs
