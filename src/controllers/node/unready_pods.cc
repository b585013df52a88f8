#include "controllers/node/unready_pods.h"

#include "controllers/framework/conditions.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers::nodes {

UnreadyPods::UnreadyPods(const ControllerContext& context)
    : client_(context.client),
      events_(context.events),
      clock_(context.clock),
      resource_(*context.schema.find_resource("", "v1", "pods")) {}

Result<void> UnreadyPods::mark(const api::ObjectPtr& pod) const {
  if (!pod_facts(*pod).ready) return {};
  json::Document document = TRY(pod->document());
  const api::Edit status = api::Edit(document).object("status");
  const api::View before = find_condition(status.view(), "Ready");
  // Reason and message of the kubelet are kept.
  const std::string reason(before["reason"].text());
  const std::string message(before["message"].text());
  set_condition(status, {"Ready", "False", reason, message}, clock_.now());
  const Result<api::ObjectPtr> written = write_status(client_, resource_, pod, std::move(document));
  if (!written) return unless_gone(written);
  events_.warning(client::ObjectReference::to(*pod), "NodeNotReady", "Node is not ready");
  return {};
}

}  // namespace proa::controllers::nodes
