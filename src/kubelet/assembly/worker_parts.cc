#include "kubelet/assembly/worker_parts.h"

namespace proa::kubelet {

WorkerParts::WorkerParts(Core& base, PodParts& with, const MachineFacts& machine,
                         const Sources& sources)
    : core(base),
      pods(with),
      workers(worker_context(machine, sources)),
      runner("pods of this node", workers.worker(), core.pods, core.context.pool),
      mirrors({.client = {core.context.client, core.context.clock, core.shutdown.get_token()},
               .pods = core_resource(core.context.schema, "pods"),
               .static_pod = [this](const api::PodKey& key) { return find_static_pod(key); },
               .mirror = [this](const api::PodKey& key) { return pods.registry.mirror(key); },
               .node = [this] { return pods.node->node(); }}),
      mirror_runner("mirror pods", mirrors, core.mirrors, core.context.pool),
      housekeeper(housekeeper_context(sources)) {}

PodWorkers::Context WorkerParts::worker_context(const MachineFacts& machine,
                                                const Sources& sources) {
  return {.registry = pods.registry,
          .allocations = pods.allocations,
          .host = {.clock = core.context.clock,
                   .files = core.context.files,
                   .options = core.context.options,
                   .paths = core.paths,
                   .machine = machine,
                   .cgroups = *core.cgroups,
                   .volumes = *pods.volumes,
                   .own_network = [&network =
                                       core.context.network] { return network && network().ours; }},
          .containers = {.runtime = *core.runtime,
                         .images = *pods.images,
                         .stopper = pods.stopper,
                         .post_starts = pods.post_starts,
                         .prober = *pods.prober,
                         .probes = pods.probes,
                         .prepare_network = core.context.prepare_network},
          .api = {.node = *pods.node,
                  .events = core.events,
                  .objects = pods.objects,
                  .statuses = *pods.statuses,
                  .services = sources.services,
                  .services_synced = sources.services_synced},
          .enqueue = core.enqueuer(),
          .halt = pods.halt,
          .shutdown = core.shutdown.get_token()};
}

Housekeeper::Context WorkerParts::housekeeper_context(const Sources& sources) {
  return {.clock = core.context.clock,
          .files = core.context.files,
          .options = core.context.options,
          .paths = core.paths,
          .runtime = *core.runtime,
          .registry = pods.registry,
          .volumes = *pods.volumes,
          .cgroups = *core.cgroups,
          .images = *pods.images,
          .events = core.events,
          .shares = workers.shares(),
          .pool = core.context.pool,
          .enqueue = core.enqueuer(),
          .pods_synced = sources.pods_synced,
          .tidy_runtime = core.context.tidy_runtime};
}

PodPtr WorkerParts::find_static_pod(const api::PodKey& key) const {
  for (const PodPtr& pod : pods.registry.pods()) {
    if (pod->is_static() && pod->key() == key) return pod;
  }
  return nullptr;
}

void WorkerParts::stop() {
  core.shutdown.request_stop();
  pods.stopper.cancel_all();
  runner.stop();
  mirror_runner.stop();
}

}  // namespace proa::kubelet
