#pragma once

#include "controllers/framework/claim.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// A pod from a template: labels, annotations, finalizers and spec, generateName "<owner>-",
// controlled by `owner`. Callers may change it before creating it (name, node, environment).
json::Document pod_from_template(const Owner& owner, api::View pod_template);

// Creates and deletes pods for their owners, and records events on the owner.
class PodControl {
 public:
  // Everything in the context outlives it.
  explicit PodControl(const ControllerContext& context);

  Result<api::ObjectPtr> create(const Owner& owner, json::Document pod);
  // Deletes the pod with this uid; success if it is already gone.
  Result<void> remove(const Owner& owner, const api::Object& pod);
  // The same with this resourceVersion: kConflict if it has changed.
  Result<void> remove_unchanged(const Owner& owner, const api::Object& pod);
  const api::Resource& resource() const { return resource_; }

 private:
  Result<void> tell_removed(const Owner& owner, const api::Object& pod, Result<void> outcome);

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
};

}  // namespace proa::controllers
