#include "controllers/storage/attach/attach_key.h"

#include "base/check.h"

namespace proa::controllers::storage {
namespace attach_key {

// Volumes and nodes have no namespace, so the kind takes its place.
constexpr std::string_view kVolume = "volume";
constexpr std::string_view kNode = "node";

}  // namespace attach_key

client::Key AttachKey::queue_key() const {
  return {std::string(kind == Kind::kVolume ? attach_key::kVolume : attach_key::kNode), name};
}

AttachKey AttachKey::from_queue_key(const client::Key& key) {
  CHECK(key.name_space == attach_key::kVolume || key.name_space == attach_key::kNode);
  return key.name_space == attach_key::kVolume ? volume(key.name) : node(api::NodeName(key.name));
}

}  // namespace proa::controllers::storage
