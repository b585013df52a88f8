#pragma once

#include "controllers/framework/claim.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// A pod as a template describes it: its labels, annotations, finalizers and spec, named
// "<owner's name>-" and something random, and controlled by `owner`. To be changed before it is
// created: a name instead of generateName, a node, an environment.
json::Document pod_from_template(const Owner& owner, api::View pod_template);

// Makes and removes pods for their owners, and tells people so by events about the owner.
class PodControl {
 public:
  // Everything in the context outlives it.
  explicit PodControl(const ControllerContext& context);

  Result<api::ObjectPtr> create(const Owner& owner, const json::Document& pod);
  // This very pod, not another one of its name; success when it is gone already.
  Result<void> remove(const Owner& owner, const api::Object& pod);
  // The same, but only as it was looked at: kConflict when it has changed meanwhile.
  Result<void> remove_unchanged(const Owner& owner, const api::Object& pod);
  const api::Resource& resource() const { return resource_; }

 private:
  Result<void> tell_removed(const Owner& owner, const api::Object& pod, Result<void> outcome);

  client::Client& client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
};

}  // namespace proa::controllers
