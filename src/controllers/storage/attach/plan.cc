#include "controllers/storage/attach/plan.h"

#include <algorithm>

namespace proa::controllers::storage {

AttachPlan plan_attachments(const DeviceFacts& device, std::span<const std::string> wanted,
                            std::span<const AttachmentFacts* const> attachments) {
  AttachPlan plan;
  for (const AttachmentFacts* one : attachments) {
    const bool needed = std::find(wanted.begin(), wanted.end(), one->node) != wanted.end();
    (needed ? plan.keep : plan.detach).push_back(one);
  }
  // One that is on its way out has the volume until it is gone.
  bool is_free = attachments.empty();
  for (const std::string& node : wanted) {
    const bool there = std::any_of(attachments.begin(), attachments.end(),
                                   [&](const AttachmentFacts* one) { return one->node == node; });
    if (there) continue;
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
  // What a node did that is gone can't be known.
  const bool mounted = node == nullptr || names_volume_of(node->in_use, attachment);
  if (!mounted) return {expired ? DetachStep::kNow : DetachStep::kIfUnused};
  if (healthy) return {};
  if (expired) return {DetachStep::kNow};
  return {std::nullopt, kForceDetachAfter - waited};
}

}  // namespace proa::controllers::storage
