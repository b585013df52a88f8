#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "controllers/storage/attach/facts.h"

// Where a volume is to be attached, and where it may be taken off. Touches nothing.

namespace proa::controllers::storage {

// How long a node that is not healthy may keep a volume that no pod needs there.
inline constexpr Duration kForceDetachAfter = std::chrono::minutes(6);

struct AttachPlan {
  std::vector<std::string> attach = {};   // to these nodes
  std::vector<std::string> blocked = {};  // nodes that have to wait until another one lets go
  std::vector<const AttachmentFacts*> keep = {};
  std::vector<const AttachmentFacts*> detach = {};
};

// `wanted`: nodes with pods that need the volume; who comes first has it first. `attachments`: of
// this volume.
AttachPlan plan_attachments(const DeviceFacts& device, std::span<const std::string> wanted,
                            std::span<const AttachmentFacts* const> attachments);

enum class DetachStep : uint8_t {
  kNow,      // whatever the node says
  kIfUnused  // when the node, asked now, does not use it
};

struct DetachPlan {
  std::optional<DetachStep> step = std::nullopt;  // nullopt: not yet
  Duration wait{0};  // until it is forced; zero: until the node changes
};

// `node`: null when it is gone. `waited`: since no pod needs the volume there.
DetachPlan plan_detach(const AttachmentFacts& attachment, const NodeFacts* node, Duration waited);

}  // namespace proa::controllers::storage
