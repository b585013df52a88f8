#include "kubelet/assembly/worker_parts.h"

namespace proa::kubelet {

WorkerParts::WorkerParts(Core& core, PodParts& with, const MachineFacts& machine,
                         const Sources& sources)
    : pods(with),
      workers(worker_context(core, machine, sources)),
      runner("pods of this node", workers.worker(), core.pods, core.context.pool),
      mirrors({.client = {core.context.client, core.context.clock},
               .pods = core_resource(core.context.schema, "pods"),
               .static_pod = [this](const std::string& name) { return find_static_pod(name); },
               .mirror = [this](const std::string& name) { return pods.registry.mirror(name); },
               .node = [this] { return pods.node->node(); }}),
      mirror_runner("mirror pods", mirrors, core.mirrors, core.context.pool),
      housekeeper(housekeeper_context(core, sources)) {}

PodWorkers::Context WorkerParts::worker_context(Core& core, const MachineFacts& machine,
                                                const Sources& sources) {
  return {.registry = pods.registry,
          .allocations = pods.allocations,
          .host = {.clock = core.context.clock,
                   .files = core.context.files,
                   .options = core.context.options,
                   .paths = core.paths,
                   .machine = machine,
                   .cgroups = *core.cgroups,
                   .volumes = *pods.volumes},
          .containers = {.runtime = *core.runtime,
                         .images = *pods.images,
                         .stopper = pods.stopper,
                         .post_starts = pods.post_starts,
                         .prober = *pods.prober,
                         .probes = pods.probes},
          .api = {.node = *pods.node,
                  .events = core.events,
                  .objects = pods.objects,
                  .statuses = *pods.statuses,
                  .services = sources.services,
                  .services_synced = sources.services_synced},
          .enqueue = core.enqueuer(),
          .shutdown = shutdown.get_token()};
}

Housekeeper::Context WorkerParts::housekeeper_context(Core& core, const Sources& sources) {
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

PodPtr WorkerParts::find_static_pod(const std::string& full_name) const {
  for (const PodPtr& pod : pods.registry.pods()) {
    if (pod->is_static() && pod->full_name() == full_name) return pod;
  }
  return nullptr;
}

void WorkerParts::stop() {
  shutdown.request_stop();
  pods.stopper.cancel_all();
  runner.stop();
  mirror_runner.stop();
}

}  // namespace proa::kubelet
