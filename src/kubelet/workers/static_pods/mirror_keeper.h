#pragma once

#include <functional>

#include "client/bounded_client.h"
#include "client/informer/runner.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Reconciles mirror pods with static pods. The key is that of both.
class MirrorKeeper final : public client::Reconciler {
 public:
  struct Context {
    client::BoundedClient client;
    const api::Resource& pods;
    std::function<PodPtr(const api::PodKey& key)> static_pod;
    std::function<PodPtr(const api::PodKey& key)> mirror;
    std::function<api::ObjectPtr()> node;
  };
  explicit MirrorKeeper(Context context) : context_(std::move(context)) {}

  Result<client::Again> reconcile(const client::Key& key) override;

 private:
  const Context context_;
};

}  // namespace proa::kubelet
