#include "kubelet/assembly/pod_parts.h"

#include "kubelet/model/reference.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/volumes/content/token_request.h"

namespace proa::kubelet {

PodParts::PodParts(Core& with, std::function<bool()> pods_synced)
    : core(with),
      node(make_node()),
      objects(
          core.context.client, core.context.schema, core.context.clock, core.context.random,
          [this](const std::vector<api::Uid>& uids) {
            for (const api::Uid& uid : uids) core.enqueue(uid);
          },
          core.shutdown.get_token()),
      volumes(make_pod_volumes()),
      allocations({.registry = registry,
                   .clock = core.context.clock,
                   .events = core.events,
                   .node = [this] { return node->node(); },
                   .pods_synced = std::move(pods_synced),
                   .enqueue = core.enqueuer()}),
      hooks(*core.runtime, core.events, core.context.clock),
      prober(make_pod_prober()),
      images(make_puller()),
      post_starts(hooks, core.waiting, core.events, core.enqueuer()),
      stopper(*core.runtime, hooks, core.context.clock, core.waiting, core.events,
              [this](api::UidView uid, Duration delay) { core.enqueue_after(uid, delay); }),
      statuses(make_writer()) {}

std::unique_ptr<NodeAgent> PodParts::make_node() {
  return make_node_agent({.client = core.context.client,
                          .schema = core.context.schema,
                          .clock = core.context.clock,
                          .random = core.context.random,
                          .files = core.context.files,
                          .runtime = *core.runtime,
                          .events = core.events,
                          .options = core.context.options,
                          .version = core.context.version,
                          .became_ready = [this] { enqueue_all(); },
                          .network = core.context.network,
                          .shutdown = core.shutdown.get_token()});
}

std::unique_ptr<Volumes> PodParts::make_pod_volumes() {
  return make_volumes({.clock = core.context.clock,
                       .files = core.context.files,
                       .objects = objects,
                       .tokens =
                           [this](const Pod& pod, const std::string& audience, int64_t seconds) {
                             return request_token({core.context.client, core.context.clock,
                                                   core.shutdown.get_token()},
                                                  core.context.schema, pod, audience, seconds);
                           },
                       .paths = core.paths,
                       .local_path_root = core.context.options.local_volumes,
                       .node = [this] { return node->node(); },
                       .can_mount_recursively =
                           [this](const Pod& pod) {
                             const auto can = [this](const std::string& handler) {
                               return node->mounts_recursively(handler);
                             };
                             return mounts_recursively(objects, can, pod);
                           },
                       .update_failed =
                           [this](const Pod& pod, const std::string& message) {
                             core.events.warning(reference_to(pod), "FailedMount", message);
                           }});
}

std::unique_ptr<Prober> PodParts::make_pod_prober() {
  return make_prober({.clock = core.context.clock,
                      .random = core.context.random,
                      .pool = core.context.pool,
                      .runtime = *core.runtime,
                      .client = core.context.http,
                      .events = core.events,
                      .results = probes,
                      .changed = core.enqueuer(),
                      .host_address = [this] { return host_address(); }});
}

std::unique_ptr<ImagePuller> PodParts::make_puller() {
  return make_image_puller({.clock = core.context.clock,
                            .random = core.context.random,
                            .pool = core.context.pool,
                            .runtime = *core.runtime,
                            .events = core.events,
                            .objects = objects,
                            .changed = core.enqueuer(),
                            .records = PullRecordFiles(
                                core.context.files, core.context.options.root + "/image_manager")});
}

std::unique_ptr<StatusWriter> PodParts::make_writer() {
  return make_status_writer(
      {.client = core.context.client,
       .pods = core_resource(core.context.schema, "pods"),
       .clock = core.context.clock,
       .random = core.context.random,
       .pool = core.context.pool,
       .mirror_of = [this](const api::PodKey& pod) { return registry.mirror(pod); },
       .may_run = [this](api::UidView uid) { return registry.may_run(uid); },
       .is_gone =
           [this](api::UidView uid) {
             const Registry::Entry entry = registry.get(uid);
             return entry.pod == nullptr || entry.gone;
           },
       .shutdown = core.shutdown.get_token()});
}

void PodParts::enqueue_all() {
  for (const PodPtr& pod : registry.pods()) {
    core.enqueue(pod->uid());
    if (pod->is_static()) core.enqueue_mirror(pod->key());
  }
}

std::string PodParts::host_address() const {
  const PodFacts facts = node->facts();
  return facts.host_addresses.empty() ? std::string() : facts.host_addresses.front();
}

}  // namespace proa::kubelet
