#include "apiserver/front/local/flow_statuses.h"

#include "api/object/edit.h"
#include "apiserver/front/local/local_client.h"
#include "client/bounded_client.h"

namespace proa::apiserver {
namespace flow_statuses {

json::Document patch_of(const fairness::DanglingStatus& wanted, Time now) {
  const fairness::DanglingCondition condition = wanted.condition();
  json::Document patch({}, json::Value::object());
  const api::Edit item = api::Edit(patch).object("status").array("conditions").push_object();
  item.set("type", "Dangling");
  item.set("status", condition.status);
  item.set("lastTransitionTime", format_time(now));
  item.set("reason", condition.reason);
  item.set("message", condition.message);
  return patch;
}

}  // namespace flow_statuses

fairness::WriteStatus flow_status_writer(const ApiContext& context, Clock& clock) {
  return [&context, &clock](const fairness::DanglingStatus& wanted) -> Result<void> {
    LocalClient local(
        context, clock,
        {.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}});
    const client::BoundedClient client(local, clock);
    TRY(client.patch(
        {.resource =
             context.schema.find_resource("flowcontrol.apiserver.k8s.io", "v1", "flowschemas"),
         .name_space = "",
         .name = wanted.schema,
         .subresource = "status"},
        api::PatchType::kStrategic, flow_statuses::patch_of(wanted, clock.now()),
        {.dry_run = false, .field_manager = "api-priority-and-fairness-config-consumer-v1"}));
    return {};
  };
}

}  // namespace proa::apiserver
