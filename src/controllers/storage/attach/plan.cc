#include "controllers/storage/attach/plan.h"

#include <algorithm>

namespace proa::controllers::storage {

AttachPlan plan_attachments(const DeviceFacts& device, std::span<const api::NodeName> wanted,
                            std::span<const AttachmentFacts* const> attachments) {
  AttachPlan plan;
  for (const AttachmentFacts* one : attachments) {
    const bool needed = std::find(wanted.begin(), wanted.end(), one->node) != wanted.end();
    (needed ? plan.keep : plan.detach).push_back(one);
  }
  // An attachment that is being deleted holds the volume until it is gone.
  bool is_free = attachments.empty();
  for (const api::NodeName& node : wanted) {
    const bool attached =
        std::any_of(attachments.begin(), attachments.end(),
                    [&](const AttachmentFacts* one) { return one->node == node; });
    if (attached) continue;
    if (!device.shared && !is_free) {
      plan.blocked.push_back(node);
      continue;
    }
    plan.attach.push_back(node);
    is_free = false;
  }
  return plan;
}

DetachPlan plan_detach(const AttachmentFacts& attachment, const NodeFacts* node, Duration waited) {
  if (attachment.being_deleted) return {};
  if (node != nullptr && node->out_of_service) return {DetachStep::kNow};
  const bool expired = waited >= kForceDetachAfter;
  const bool healthy = node != nullptr && node->ready;
  // A deleted node may still have it mounted.
  const bool mounted = node == nullptr || names_volume_of(node->in_use, attachment);
  if (!mounted) return {expired ? DetachStep::kNow : DetachStep::kIfUnused};
  if (healthy) return {};
  if (expired) return {DetachStep::kNow};
  return {std::nullopt, kForceDetachAfter - waited};
}

}  // namespace proa::controllers::storage
