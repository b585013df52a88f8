#include "kubelet/assembly/core.h"

#include "base/check.h"
#include "kubelet/runtime/cri/cri_runtime.h"

namespace proa::kubelet {
namespace core {

// Pods that are reconciled at once. The runtime and the disk take most of the time.
constexpr size_t kMaxConcurrentPods = 16;
// Containers that are being stopped and lifecycle handlers that run, at once.
constexpr size_t kMaxWaitingThreads = 2048;
// Retries start early and stay frequent: nothing reports that a missing folder exists now.
constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100),
                                   .most = std::chrono::seconds(15)};

client::Key key_of(api::UidView pod) { return {.name_space = {}, .name = pod.str()}; }

}  // namespace core

const api::Resource& core_resource(const api::Schema& schema, std::string_view name) {
  const api::Resource* found = schema.find_resource("", "v1", name);
  CHECK(found != nullptr);
  return *found;
}

Core::Core(KubeletContext with, std::unique_ptr<Cgroups> opened)
    : context(std::move(with)),
      paths(context.options.root, context.options.logs, context.options.log_records),
      runtime(cri::connect_runtime(context.http, context.options.runtime_socket)),
      cgroups(std::move(opened)),
      poller(context.clock),
      waiting({.max_threads = core::kMaxWaitingThreads}),
      pods(context.clock, context.random,
           {.backoff = core::kBackoff, .max_running = core::kMaxConcurrentPods}),
      mirrors(context.clock, context.random, {.backoff = core::kBackoff, .max_running = 1}),
      events(context.client, context.clock, context.pool, core_resource(context.schema, "events"),
             {.component = "kubelet", .host = context.options.node_name.str()}) {}

void Core::enqueue(api::UidView uid) { pods.add(core::key_of(uid)); }

void Core::enqueue_after(api::UidView uid, Duration delay) {
  pods.add_after(core::key_of(uid), delay);
}

void Core::enqueue_mirror(const api::PodKey& pod) {
  mirrors.add({.name_space = pod.name_space, .name = pod.name});
}

}  // namespace proa::kubelet
