#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "controllers/storage/attach/facts.h"

// Decides where a volume is attached and detached. Pure functions.

namespace proa::controllers::storage {

// How long an unhealthy node may keep a volume that no pod uses there.
inline constexpr Duration kForceDetachAfter = std::chrono::minutes(6);

struct AttachPlan {
  std::vector<api::NodeName> attach = {};   // to these nodes
  std::vector<api::NodeName> blocked = {};  // nodes that wait until another one releases the volume
  std::vector<const AttachmentFacts*> keep = {};
  std::vector<const AttachmentFacts*> detach = {};
};

// `wanted`: nodes with pods that use the volume, in order of precedence. `attachments`: of this
// volume.
AttachPlan plan_attachments(const DeviceFacts& device, std::span<const api::NodeName> wanted,
                            std::span<const AttachmentFacts* const> attachments);

enum class DetachStep : uint8_t {
  kNow,      // regardless of the node's status
  kIfUnused  // if a fresh read of the node shows it as unused
};

struct DetachPlan {
  std::optional<DetachStep> step = std::nullopt;  // nullopt: not yet
  Duration wait{0};  // until a forced detach; zero: until the node changes
};

// `node`: null if deleted. `waited`: time since no pod uses the volume there.
DetachPlan plan_detach(const AttachmentFacts& attachment, const NodeFacts* node, Duration waited);

}  // namespace proa::controllers::storage
