#pragma once

#include "controllers/framework/claim.h"
#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/pods/pod_control.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// The name of a pod in place of a job's: its finalizer has to go, and there is no job to do that.
// No job's name looks like it.
client::Key orphan_key(const client::Key& pod);
std::optional<client::Key> pod_of_orphan_key(const client::Key& key);

// Which pods belong to which job, and what is written to them. Every pod that becomes a job's has
// the finalizer from that moment on, and every one that ceases to be loses it.
class PodOwnership {
 public:
  // Everything outlives it. `freshness`: hears of what is written to pods.
  PodOwnership(const ControllerContext& context, Freshness& freshness);

  // What belongs to the job now: orphans that it wants are adopted, those that it does not want any
  // more are let go. A failure when that was not possible.
  Result<std::vector<api::ObjectPtr>> gather(const Owner& job, const api::LabelSelector& selector);
  std::vector<api::ObjectPtr> owned_by(const api::Object& job) const;

  // Stops a pod; it stays until it is counted. kConflict when it has changed meanwhile: it may have
  // ended by itself.
  Result<void> stop(const Owner& job, const api::Object& pod);
  // Stops one that is not to be counted.
  Result<void> withdraw(const Owner& job, const api::Object& pod);
  // It is counted. `only_at`: of this state only, if it says one.
  Result<void> remove_finalizer(const client::Key& job, const api::Object& pod,
                                std::string_view only_at = {});
  // Takes the finalizer off a pod that has no job, or whose job is finished.
  Result<void> settle_orphan(const client::Key& pod);

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
