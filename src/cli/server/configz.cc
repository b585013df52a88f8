#include "cli/server/configz.h"

#include "api/object/edit.h"
#include "apiserver/representation/status.h"
#include "cli/server/flags/controller_flags.h"
#include "controllers/controllers.h"
#include "json/print.h"
#include "scheduler/config/config_schema.h"
#include "scheduler/config/print_config.h"

namespace proa::cli {
namespace configz {

using api::Edit;
using Entries = std::vector<controllers::ControllerEntry>;

constexpr std::string_view kControllersGroup = "kubecontrollermanager.config.k8s.io";

// The members of upstream's v1alpha1 for which there are settings here: it has Go's names.
void write(const Edit& out, const Entries& entries, const controllers::ControllerOptions& options,
           std::string_view service_ranges, bool gives_ranges) {
  out.set("kind", "KubeControllerManagerConfiguration");
  out.set("apiVersion", std::string(kControllersGroup) + "/v1alpha1");
  const Edit names = out.object("Generic").array("Controllers");
  for (const controllers::ControllerEntry& entry : entries)
    names.push(json::Value::string(names.arena(), entry.name));
  const Edit shared = out.object("KubeCloudShared");
  shared.set("ClusterCIDR", options.cluster_cidr);
  shared.set("AllocateNodeCIDRs", gives_ranges);
  const Edit ranges = out.object("NodeIPAMController");
  const size_t comma = service_ranges.find(',');
  ranges.set("ServiceCIDR", service_ranges.substr(0, comma));
  ranges.set("SecondaryServiceCIDR",
             comma == std::string_view::npos ? "" : service_ranges.substr(comma + 1));
  ranges.set("NodeCIDRMaskSize", options.node_cidr_mask_size);
  out.object("NodeLifecycleController")
      .set("NodeMonitorGracePeriod", format_duration(options.node_monitor_grace_period));
  out.object("PodGCController")
      .set("TerminatedPodGCThreshold", options.terminated_pod_gc_threshold);
}

}  // namespace configz

Result<apiserver::ExtraPath> configz_path(const Settings& settings,
                                          const scheduler::SchedulerConfig& scheduler) {
  controllers::ControllerOptions options;
  TRY(read_controller_options(settings, options));
  const configz::Entries entries =
      TRY(choose_controllers(controllers::all_controllers(), settings.text("controllers")));
  json::Document document({}, json::Value::object());
  const api::Edit out(document);
  // Sorted, as Go prints maps. Without controllers, another process has them.
  if (!entries.empty()) {
    configz::write(out.object(configz::kControllersGroup), entries, options,
                   settings.text("service-cluster-ip-range"), gives_pod_ranges(settings));
  }
  if (settings.on("scheduler")) {
    const json::Document config = scheduler::config_document(scheduler);
    out.set(scheduler::kConfigGroup, config.root().copy(document.arena()));
  }
  return apiserver::ExtraPath{
      .prefix = "/configz",
      .answer =
          [body = Bytes(json::print(document.root()))](
              const http::RequestHead&, const http::Target&, const apiserver::User&) {
            http::Response response = apiserver::json_response(200, body);
            response.headers.set("x-content-type-options", "nosniff");
            return response;
          },
      .listed = true};
}

}  // namespace proa::cli
