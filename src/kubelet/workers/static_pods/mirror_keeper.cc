#include "kubelet/workers/static_pods/mirror_keeper.h"

#include "kubelet/workers/static_pods/mirror_pods.h"

namespace proa::kubelet {

Result<client::Again> MirrorKeeper::reconcile(const client::Key& key) {
  const api::PodKey pod_key{key.name_space, key.name};
  const PodPtr pod = context_.static_pod(pod_key);
  const PodPtr mirror = context_.mirror(pod_key);
  if (pod == nullptr) {
    if (mirror != nullptr) TRY(remove_mirror(context_.client, context_.pods, *mirror));
    return client::Again{};
  }
  const api::ObjectPtr node = context_.node();
  // Its owner is not registered yet: the registration enqueues all mirrors again.
  if (node == nullptr) return client::Again{};
  // The kubelet registers a new one.
  if (node->metadata().being_deleted) return client::Again{std::chrono::seconds(10)};
  TRY(reconcile_mirror(context_.client, context_.pods, *pod, mirror.get(), *node));
  return client::Again{};
}

}  // namespace proa::kubelet
