#include "kubelet/assembly/local_volumes.h"

#include "kinds/core/volumes/local_path.h"

namespace proa::kubelet {
namespace local_volumes {

constexpr client::Backoff kBackoff{.first = std::chrono::seconds(1),
                                   .most = std::chrono::minutes(1)};

}  // namespace local_volumes

LocalVolumes::LocalVolumes(Core& core)
    : queue_(core.context.clock, core.context.random,
             {.backoff = local_volumes::kBackoff, .max_running = 1}),
      volumes_(core.context.client, core.context.clock, core.context.random,
               {.place = {.resource = &core_resource(core.context.schema, "persistentvolumes")},
                .labels = std::string(kinds::kLocalPathNode) + "=" +
                          kinds::local_path_label(core.context.options.node_name.view()),
                .fields = {}}),
      remover_({.client = {core.context.client, core.context.clock, core.shutdown.get_token()},
                .volumes = core_resource(core.context.schema, "persistentvolumes"),
                .files = core.context.files,
                .paths = core.paths,
                .node = core.context.options.node_name,
                .root = core.context.options.local_volumes,
                .find =
                    [this](const std::string& name) {
                      return volumes_.cache().get({"", name});
                    }}),
      // Removing a large directory takes long, and must not hold up pods.
      runner_("local volumes", remover_, queue_, core.waiting) {
  volumes_.add_handler([this](const client::Change& change) {
    if (change.after != nullptr && change.after->metadata().being_deleted) queue_.add(change.key);
  });
  core.poller.add(volumes_);
  core.poller.add(runner_);
}

void LocalVolumes::start() { runner_.start(); }

void LocalVolumes::stop() { runner_.stop(); }

}  // namespace proa::kubelet
