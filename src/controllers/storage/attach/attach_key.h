#pragma once

#include <string>

#include "api/object/names.h"
#include "client/key.h"

namespace proa::controllers::storage {

// A key of the attach-detach queue. Under a volume's key its VolumeAttachments are reconciled,
// under a node's key its status.volumesAttached.
struct AttachKey {
  enum class Kind : uint8_t { kVolume, kNode };

  Kind kind = Kind::kVolume;
  std::string name = {};

  static AttachKey volume(std::string name) { return {Kind::kVolume, std::move(name)}; }
  static AttachKey node(const api::NodeName& name) { return {Kind::kNode, name.str()}; }

  // How the work queue carries it. from_queue_key() is the inverse.
  client::Key queue_key() const;
  // REQUIRES: queue_key() made it.
  static AttachKey from_queue_key(const client::Key& key);

  bool operator==(const AttachKey&) const = default;
};

}  // namespace proa::controllers::storage
